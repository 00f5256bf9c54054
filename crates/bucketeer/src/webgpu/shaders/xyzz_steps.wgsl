// Additions in XYZZ coordinates, one product after the other in a loop: the code of a product in
// the quadratic extension is long, and with twenty of them a shader took a minute to compile in
// SwiftShader. Formulas: EFD shortw/xyzz.
//
// The prelude defines A_IS_ZERO and curve_a().

// dbl-2008-s-1, 6M+4S: V = U·U, W = U·V, S = X·V, ZZ·V, X·X, M·M, Y·W, ZZZ·W, M·(S − X3)
fn sum_double(p: Sum) -> Sum {
    let u = fq_double(p.y);
    var left = array<Fq, 9>(u, u, p.x, p.zz, p.x, p.x, p.y, p.zzz, p.x);
    var product = left;
    var x = p.x;
    for (var i = 0u; i < 9u; i++) {
        var right = product[0];
        if (i == 0u) {
            right = u;
        } else if (i == 4u) {
            right = p.x;
        } else if (i == 5u) {
            right = fq_add(fq_double(product[4]), product[4]);
            if (!A_IS_ZERO) {
                right = fq_add(right, fq_mul(curve_a(), fq_sqr(p.zz)));
            }
            left[5] = right;
            left[8] = right;
        } else if (i == 6u || i == 7u) {
            right = product[1];
        } else if (i == 8u) {
            x = fq_sub(product[5], fq_double(product[2]));
            right = fq_sub(product[2], x);
        }
        product[i] = fq_mul(left[i], right);
    }
    return Sum(x, fq_sub(product[8], product[6]), product[3], product[7]);
}

// The end of both additions, 6M+2S: the first point's x and y over the common denominators zz and
// zzz, and the differences d of the xs and r of the ys.
// DD = d·d, DDD = d·DD, Q = x·DD, zz·DD, r·r, y·DDD, zzz·DDD, r·(Q − X3)
fn sum_finish(x: Fq, y: Fq, zz: Fq, zzz: Fq, d: Fq, r: Fq) -> Sum {
    var left = array<Fq, 8>(d, d, x, zz, r, y, zzz, r);
    var product = left;
    var sum_x = x;
    for (var i = 0u; i < 8u; i++) {
        var right = product[0];
        if (i == 0u) {
            right = d;
        } else if (i == 4u) {
            right = r;
        } else if (i == 5u || i == 6u) {
            right = product[1];
        } else if (i == 7u) {
            sum_x = fq_sub(fq_sub(product[4], product[1]), fq_double(product[2]));
            right = fq_sub(product[2], sum_x);
        }
        product[i] = fq_mul(left[i], right);
    }
    return Sum(sum_x, fq_sub(product[7], product[5]), product[3], product[6]);
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
    var product = array<Fq, 2>(b.x, by);
    var right = array<Fq, 2>(p.zz, p.zzz);
    for (var i = 0u; i < 2u; i++) {
        product[i] = fq_mul(product[i], right[i]);
    }
    let d = fq_sub(product[0], p.x);
    let r = fq_sub(product[1], p.y);
    if (fq_is_zero(d)) {
        if (!fq_is_zero(r)) {
            return sum_identity();
        }
        return sum_double(p);
    }
    return sum_finish(p.x, p.y, p.zz, p.zzz, d, r);
}

// add-2008-s, 12M+2S
fn sum_add(p: Sum, b: Sum) -> Sum {
    if (fq_is_zero(b.zz)) {
        return p;
    }
    if (fq_is_zero(p.zz)) {
        return b;
    }
    var product = array<Fq, 6>(p.x, b.x, p.y, b.y, p.zz, p.zzz);
    var right = array<Fq, 6>(b.zz, p.zz, b.zzz, p.zzz, b.zz, b.zzz);
    for (var i = 0u; i < 6u; i++) {
        product[i] = fq_mul(product[i], right[i]);
    }
    let d = fq_sub(product[1], product[0]);
    let r = fq_sub(product[3], product[2]);
    if (fq_is_zero(d)) {
        if (!fq_is_zero(r)) {
            return sum_identity();
        }
        return sum_double(p);
    }
    return sum_finish(product[0], product[2], product[4], product[5], d, r);
}
