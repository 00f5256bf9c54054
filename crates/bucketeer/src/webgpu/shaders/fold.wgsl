// The end of accumulate: the partial sums of split buckets. In each round FOLD pieces become one,
// in the place of their first; the last round adds to the bucket.

// One invocation per slot.
@compute @workgroup_size(INVOCATIONS)
fn fold(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let slot = (group.y * groups.x + group.x) * INVOCATIONS + local;
    if (slot >= tasks[params.totals + SLOTS]) {
        return;
    }
    let split = params.splits + SPLIT_WORDS * tasks[params.owners + slot];
    let piece = slot - tasks[split + SPLIT_SLOT];
    let pieces = tasks[split + SPLIT_PIECES];
    let span = FOLD * params.distance;
    if (pieces <= params.distance || piece % span != 0u) {
        return;
    }
    var sum = slots_sum(slot);
    for (var i = piece + params.distance; i < min(piece + span, pieces); i += params.distance) {
        sum = sum_add(sum, slots_sum(slot + i - piece));
    }
    if (pieces > span) {
        slots_set_sum(slot, sum);
        return;
    }
    let bucket = tasks[split + SPLIT_BUCKET];
    if (params.add != 0u) {
        sum = sum_add(sum, buckets_sum(bucket));
    }
    buckets_set_sum(bucket, sum);
}
