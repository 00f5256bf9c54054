// y² = x³ + a·x + b in XYZZ coordinates: x = X/ZZ, y = Y/ZZZ, ZZ³ = ZZZ², ZZ = 0 at infinity.
// The additions are in xyzz.wgsl, or in xyzz_steps.wgsl for long coordinates. All are complete.
//
// The prelude defines SUM_WORDS.

struct Base {
    x: Fq,
    y: Fq,
    infinite: bool,
}

// An accumulator. In memory, zeros are the identity.
struct Sum {
    x: Fq,
    y: Fq,
    zz: Fq,
    zzz: Fq,
}

fn sum_identity() -> Sum {
    return Sum(fq_zero(), fq_zero(), fq_zero(), fq_zero());
}

fn sum_of_memory(x: Fq, y: Fq, zz: Fq, zzz: Fq) -> Sum {
    return Sum(x, y, zz, zzz);
}

fn sum_parts(s: Sum) -> array<Fq, 4> {
    return array<Fq, 4>(s.x, s.y, s.zz, s.zzz);
}

fn sum_of_base(b: Base) -> Sum {
    if (b.infinite) {
        return sum_identity();
    }
    return Sum(b.x, b.y, fq_one(), fq_one());
}

// What divides a sum's coordinates when it becomes a base; never zero.
fn sum_denominator(s: Sum) -> Fq {
    if (fq_is_zero(s.zz)) {
        return fq_one();
    }
    return s.zzz;
}

// The base equal to a sum, given 1/sum_denominator: 1/ZZ = (ZZ/ZZZ)².
fn base_of_sum(s: Sum, inverse: Fq) -> Base {
    let x = fq_mul(s.x, fq_sqr(fq_mul(s.zz, inverse)));
    return Base(x, fq_mul(s.y, inverse), fq_is_zero(s.zz));
}

fn base_of_affine(x: Fq, y: Fq, infinite: bool) -> Base {
    return Base(x, y, infinite);
}
