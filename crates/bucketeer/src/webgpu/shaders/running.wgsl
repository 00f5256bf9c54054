// Stage 4, reduce, by running sums.

// One invocation per slice of a set's 2^bits buckets: Σ (i + 1)·Sᵢ over the slice.
@compute @workgroup_size(INVOCATIONS)
fn running_sums(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let at = (group.y * groups.x + group.x) * INVOCATIONS + local;
    if (at >= params.sets * params.slices) {
        return;
    }
    let start = (at / params.slices) << params.bits;
    let each = (1u << params.bits) / params.slices;
    let first = at % params.slices * each;
    var running = sum_identity();
    var total = sum_identity();
    for (var i = each; i > 0u; i--) {
        running = sum_add(running, buckets_sum(start + first + i - 1u));
        total = sum_add(total, running);
    }
    // total counts from the slice's own start: what precedes it is missing once for each bucket.
    sums_set_sum(params.output + at, sum_add(total, times(running, first)));
}
