// Coordinates in the prime field.

alias Fq = Fp;

fn fq_zero() -> Fq {
    return fp_zero();
}

fn fq_one() -> Fq {
    return fp_one();
}

fn fq_is_zero(a: Fq) -> bool {
    return fp_is_zero(a);
}

fn fq_add(a: Fq, b: Fq) -> Fq {
    return fp_add(a, b);
}

fn fq_sub(a: Fq, b: Fq) -> Fq {
    return fp_sub(a, b);
}

fn fq_double(a: Fq) -> Fq {
    return fp_double(a);
}

fn fq_neg(a: Fq) -> Fq {
    return fp_neg(a);
}

fn fq_mul(a: Fq, b: Fq) -> Fq {
    return fp_mul(a, b);
}

fn fq_sqr(a: Fq) -> Fq {
    return fp_sqr(a);
}

fn fq_inverse(a: Fq) -> Fq {
    return fp_inverse(a);
}

fn fq_select(first: bool, a: Fq, b: Fq) -> Fq {
    return fp_select(first, a, b);
}

// From arkworks' Montgomery form into this one.
fn fq_import(a: Fq) -> Fq {
    return fp_mul(a, IMPORT);
}
