// Coordinates c0 + c1·u in the quadratic extension with u² = NON_RESIDUE.
//
// The prelude defines NEGATED_NON_RESIDUE = k for −k with a small k, or 0 and the constant
// NON_RESIDUE in Montgomery form.

struct Fq {
    c0: Fp,
    c1: Fp,
}

fn fq_zero() -> Fq {
    return Fq(fp_zero(), fp_zero());
}

fn fq_one() -> Fq {
    return Fq(fp_one(), fp_zero());
}

fn fq_is_zero(a: Fq) -> bool {
    return fp_is_zero(a.c0) && fp_is_zero(a.c1);
}

fn fq_add(a: Fq, b: Fq) -> Fq {
    return Fq(fp_add(a.c0, b.c0), fp_add(a.c1, b.c1));
}

fn fq_sub(a: Fq, b: Fq) -> Fq {
    return Fq(fp_sub(a.c0, b.c0), fp_sub(a.c1, b.c1));
}

fn fq_double(a: Fq) -> Fq {
    return fq_add(a, a);
}

fn fq_neg(a: Fq) -> Fq {
    return Fq(fp_neg(a.c0), fp_neg(a.c1));
}

// x + NON_RESIDUE·y
fn add_non_residue_times(x: Fp, y: Fp) -> Fp {
    if (NEGATED_NON_RESIDUE == 0u) {
        return fp_add(x, fp_mul(y, NON_RESIDUE));
    }
    var r = x;
    for (var i = 0u; i < NEGATED_NON_RESIDUE; i++) {
        r = fp_sub(r, y);
    }
    return r;
}

// Karatsuba: three products.
fn fq_mul(a: Fq, b: Fq) -> Fq {
    let sum = fp_mul(fp_add(a.c0, a.c1), fp_add(b.c0, b.c1));
    let v0 = fp_mul(a.c0, b.c0);
    let v1 = fp_mul(a.c1, b.c1);
    return Fq(add_non_residue_times(v0, v1), fp_sub(fp_sub(sum, v0), v1));
}

fn fq_sqr(a: Fq) -> Fq {
    return fq_mul(a, a);
}

// 1/(c0 + c1·u) = (c0 − c1·u)/(c0² − NON_RESIDUE·c1²)
fn fq_inverse(a: Fq) -> Fq {
    let norm = fp_sub(fp_sqr(a.c0), add_non_residue_times(fp_zero(), fp_sqr(a.c1)));
    let inverse = fp_inverse(norm);
    return Fq(fp_mul(a.c0, inverse), fp_neg(fp_mul(a.c1, inverse)));
}

fn fq_select(first: bool, a: Fq, b: Fq) -> Fq {
    return Fq(fp_select(first, a.c0, b.c0), fp_select(first, a.c1, b.c1));
}

// From arkworks' Montgomery form into this one.
fn fq_import(a: Fq) -> Fq {
    return Fq(fp_mul(a.c0, IMPORT), fp_mul(a.c1, IMPORT));
}
