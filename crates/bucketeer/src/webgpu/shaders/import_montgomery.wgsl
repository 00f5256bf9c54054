
// From the coordinates of a short Weierstrass curve into the Edwards form, by way of the Montgomery
// model: with u = MONTGOMERY_B·x − THIRD_OF_A they are SCALE·u/y and (u − 1)/(u + 1).

fn raw_u(i: u32) -> Fq {
    return fq_sub(fq_mul(raw_x(i), MONTGOMERY_B), THIRD_OF_A);
}

// Each invocation shares one inversion among its bases. A denominator y·(u + 1) that is zero, and
// that of infinity, counts as 1, so that it does not spoil the product of others; points that the
// form does not have become (0, 0).
@compute @workgroup_size(INVOCATIONS)
fn import_bases(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let own = (group.y * groups.x + group.x) * INVOCATIONS + local;
    if (own >= min(params.count, params.invocations)) {
        return;
    }
    let products = params.count * 2u * FQ_WORDS;
    var product = fq_one();
    var i = own;
    for (; i < params.count; i += params.invocations) {
        raw_set_fq(products + i * FQ_WORDS, product);
        let denominator = fq_mul(raw_y(i), fq_add(raw_u(i), fq_one()));
        let none = raw_is_infinite(i) || fq_is_zero(denominator);
        product = fq_mul(product, fq_select(none, fq_one(), denominator));
    }
    var inverse = fq_inverse(product);
    while (i >= params.invocations) {
        i -= params.invocations;
        let u = raw_u(i);
        let y = raw_y(i);
        let sum = fq_add(u, fq_one());
        let denominator = fq_mul(y, sum);
        let infinite = raw_is_infinite(i);
        let none = infinite || fq_is_zero(denominator);
        let single = fq_select(none, fq_zero(), fq_mul(inverse, raw_fq(products + i * FQ_WORDS)));
        inverse = fq_mul(inverse, fq_select(none, fq_one(), denominator));
        let x = fq_mul(scaled(fq_mul(u, sum)), single);
        let mapped = fq_mul(fq_mul(fq_sub(u, fq_one()), y), single);
        table_set_base(params.first + i, base_of_affine(x, mapped, infinite));
    }
}
