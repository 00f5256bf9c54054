// Additions in XYZZ coordinates. Formulas: EFD shortw/xyzz.
//
// The prelude defines A_IS_ZERO and curve_a().

// dbl-2008-s-1, 6M+4S
fn sum_double(p: Sum) -> Sum {
    let u = fq_double(p.y);
    let v = fq_sqr(u);
    let w = fq_mul(u, v);
    let s = fq_mul(p.x, v);
    let square = fq_sqr(p.x);
    var m = fq_add(fq_double(square), square);
    if (!A_IS_ZERO) {
        m = fq_add(m, fq_mul(curve_a(), fq_sqr(p.zz)));
    }
    let x = fq_sub(fq_sqr(m), fq_double(s));
    let y = fq_sub(fq_mul(m, fq_sub(s, x)), fq_mul(w, p.y));
    return Sum(x, y, fq_mul(v, p.zz), fq_mul(w, p.zzz));
}

// madd-2008-s, 8M+2S
fn sum_add_base(p: Sum, b: Base, negative: bool) -> Sum {
    if (b.infinite) {
        return p;
    }
    let by = fq_select(negative, fq_neg(b.y), b.y);
    if (fq_is_zero(p.zz)) {
        return Sum(b.x, by, fq_one(), fq_one());
    }
    let d = fq_sub(fq_mul(b.x, p.zz), p.x);
    let r = fq_sub(fq_mul(by, p.zzz), p.y);
    if (fq_is_zero(d)) {
        if (!fq_is_zero(r)) {
            return sum_identity();
        }
        return sum_double(p);
    }
    return sum_finish(p.x, p.y, p.zz, p.zzz, d, r);
}

// The end of both additions, 6M+2S: the first point's x and y over the common denominators zz and
// zzz, and the differences d of the xs and r of the ys.
fn sum_finish(x: Fq, y: Fq, zz: Fq, zzz: Fq, d: Fq, r: Fq) -> Sum {
    let dd = fq_sqr(d);
    let ddd = fq_mul(d, dd);
    let q = fq_mul(x, dd);
    let sum_x = fq_sub(fq_sub(fq_sqr(r), ddd), fq_double(q));
    let sum_y = fq_sub(fq_mul(r, fq_sub(q, sum_x)), fq_mul(y, ddd));
    return Sum(sum_x, sum_y, fq_mul(zz, dd), fq_mul(zzz, ddd));
}

// add-2008-s, 12M+2S
fn sum_add(p: Sum, b: Sum) -> Sum {
    if (fq_is_zero(b.zz)) {
        return p;
    }
    if (fq_is_zero(p.zz)) {
        return b;
    }
    let x = fq_mul(p.x, b.zz);
    let d = fq_sub(fq_mul(b.x, p.zz), x);
    let y = fq_mul(p.y, b.zzz);
    let r = fq_sub(fq_mul(b.y, p.zzz), y);
    if (fq_is_zero(d)) {
        if (!fq_is_zero(r)) {
            return sum_identity();
        }
        return sum_double(p);
    }
    return sum_finish(x, y, fq_mul(p.zz, b.zz), fq_mul(p.zzz, b.zzz), d, r);
}
