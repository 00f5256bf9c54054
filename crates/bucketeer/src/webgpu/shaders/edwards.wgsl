// −x² + y² = 1 + d·x²·y² in extended coordinates: x = X/Z, y = Y/Z, T = X·Y/Z. Formulas: Hisil,
// Wong, Carter, Dawson 2008. They are complete on the subgroup of odd prime order, and on the whole
// curve if d is not a square.
//
// The prelude defines the constant D2 = 2·d in Montgomery form and SUM_WORDS.

struct Base {
    minus: Fq, // y − x
    plus: Fq, // y + x
    product: Fq, // 2·d·x·y
}

// An accumulator. In memory, zeros are the identity too.
struct Sum {
    x: Fq,
    y: Fq,
    z: Fq,
    t: Fq,
}

fn sum_identity() -> Sum {
    return Sum(fq_zero(), fq_one(), fq_one(), fq_zero());
}

fn sum_of_memory(x: Fq, y: Fq, z: Fq, t: Fq) -> Sum {
    if (fq_is_zero(z)) {
        return sum_identity();
    }
    return Sum(x, y, z, t);
}

fn sum_parts(s: Sum) -> array<Fq, 4> {
    return array<Fq, 4>(s.x, s.y, s.z, s.t);
}

// The end of both additions, 4M.
fn sum_finish(a: Fq, b: Fq, c: Fq, d: Fq) -> Sum {
    let e = fq_sub(b, a);
    let f = fq_sub(d, c);
    let g = fq_add(d, c);
    let h = fq_add(b, a);
    return Sum(fq_mul(e, f), fq_mul(g, h), fq_mul(f, g), fq_mul(e, h));
}

// 7M. The negative of a base has y − x and y + x exchanged and the opposite product.
fn sum_add_base(p: Sum, q: Base, negative: bool) -> Sum {
    let a = fq_mul(fq_sub(p.y, p.x), fq_select(negative, q.plus, q.minus));
    let b = fq_mul(fq_add(p.y, p.x), fq_select(negative, q.minus, q.plus));
    let c = fq_mul(p.t, fq_select(negative, fq_neg(q.product), q.product));
    return sum_finish(a, b, c, fq_double(p.z));
}

// 9M
fn sum_add(p: Sum, q: Sum) -> Sum {
    let a = fq_mul(fq_sub(p.y, p.x), fq_sub(q.y, q.x));
    let b = fq_mul(fq_add(p.y, p.x), fq_add(q.y, q.x));
    let c = fq_mul(fq_mul(p.t, q.t), D2);
    let d = fq_double(fq_mul(p.z, q.z));
    return sum_finish(a, b, c, d);
}

// 4M+4S
fn sum_double(p: Sum) -> Sum {
    let a = fq_sqr(p.x);
    let b = fq_sqr(p.y);
    let c = fq_double(fq_sqr(p.z));
    let e = fq_sub(fq_sub(fq_sqr(fq_add(p.x, p.y)), a), b);
    let g = fq_sub(b, a);
    let f = fq_sub(g, c);
    let h = fq_neg(fq_add(a, b));
    return Sum(fq_mul(e, f), fq_mul(g, h), fq_mul(f, g), fq_mul(e, h));
}

// y + x and y − x give 2y and 2x: with Z = 2 the point is x = X/Z, y = Y/Z.
fn sum_of_base(b: Base) -> Sum {
    let x = fq_sub(b.plus, b.minus);
    let y = fq_add(b.plus, b.minus);
    let two = fq_double(fq_one());
    return Sum(fq_mul(x, two), fq_mul(y, two), fq_sqr(two), fq_mul(x, y));
}

fn sum_denominator(s: Sum) -> Fq {
    return s.z;
}

fn base_of_sum(s: Sum, inverse: Fq) -> Base {
    return base_of_affine(fq_mul(s.x, inverse), fq_mul(s.y, inverse), false);
}

// The point at infinity is an ordinary one here, (0, 1).
fn base_of_affine(own_x: Fq, own_y: Fq, infinite: bool) -> Base {
    let x = fq_select(infinite, fq_zero(), own_x);
    let y = fq_select(infinite, fq_one(), own_y);
    return Base(fq_sub(y, x), fq_add(y, x), fq_mul(fq_mul(x, y), D2));
}
