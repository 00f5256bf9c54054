// Stages 3 and 4 in one sweep over the grouped list.

// a·b/c for b < c, whose product may be longer than a word.
fn share_of(a: u32, b: u32, c: u32) -> u32 {
    return a / c * b + (a % c) * b / c;
}

// One invocation per slice of a set's list, from its last bucket down to its first.
@compute @workgroup_size(INVOCATIONS)
fn sweep(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let at = (group.y * groups.x + group.x) * INVOCATIONS + local;
    if (at >= params.sets * params.slices) {
        return;
    }
    let slice = at % params.slices;
    let own = (at / params.slices) << params.bits;
    let begin = starts[own];
    let length = starts[own + (1u << params.bits)] - begin;
    let first = begin + share_of(length, slice, params.slices);
    let end = begin + share_of(length, slice + 1u, params.slices);
    var running = sum_identity();
    var total = sum_identity();
    if (first < end) {
        // The bucket of the slice's last entry: the last one that starts at or before it.
        var bucket = 0u;
        var above = 1u << params.bits;
        while (above - bucket > 1u) {
            let middle = (bucket + above) / 2u;
            if (starts[own + middle] <= end - 1u) {
                bucket = middle;
            } else {
                above = middle;
            }
        }
        for (var i = end; i > first; i--) {
            var fall = 0u;
            while (starts[own + bucket] > i - 1u) {
                bucket--;
                fall++;
            }
            if (fall != 0u) {
                total = sum_add(total, times(running, fall));
            }
            let entry = entries[i - 1u];
            let base = table_base(entry & ~NEGATIVE);
            running = sum_add_base(running, base, (entry & NEGATIVE) != 0u);
        }
        total = sum_add(total, times(running, bucket + 1u));
    }
    sums_set_sum(params.output + at, total);
}
