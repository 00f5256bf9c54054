// Bases: their shifted copies,
// table[copy·stride + first + i] = 2^(copy·doublings) · table[first + i].

// Each invocation shares one inversion among all copies of its bases; `scratch` holds a sum and a
// field element for each copy.
@compute @workgroup_size(INVOCATIONS)
fn shift_bases(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let own = (group.y * groups.x + group.x) * INVOCATIONS + local;
    if (own >= min(params.count, params.invocations)) {
        return;
    }
    let products = params.count * (params.copies - 1u) * SUM_WORDS;
    var product = fq_one();
    var i = own;
    for (; i < params.count; i += params.invocations) {
        var s = sum_of_base(table_base(params.first + i));
        for (var copy = 1u; copy < params.copies; copy++) {
            for (var d = 0u; d < params.doublings; d++) {
                s = sum_double(s);
            }
            let at = (copy - 1u) * params.count + i;
            scratch_set_sum(at, s);
            scratch_set_fq(products + at * FQ_WORDS, product);
            product = fq_mul(product, sum_denominator(s));
        }
    }
    var inverse = fq_inverse(product);
    while (i >= params.invocations) {
        i -= params.invocations;
        for (var copy = params.copies - 1u; copy > 0u; copy--) {
            let at = (copy - 1u) * params.count + i;
            let s = scratch_sum(at);
            let single = fq_mul(inverse, scratch_fq(products + at * FQ_WORDS));
            inverse = fq_mul(inverse, sum_denominator(s));
            table_set_base(copy * params.stride + params.first + i, base_of_sum(s, single));
        }
    }
}
