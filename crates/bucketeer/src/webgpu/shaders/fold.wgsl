// The end of accumulate: the partial sums of split buckets. In each round sixteen pieces become one, in the
// place of their first; the last round adds to the bucket.

struct Params {
    splits: u32, // places in `tasks`: of the split buckets,
    owners: u32, // of the slots' owners,
    totals: u32, // of the counters
    distance: u32, // between the pieces that are left, 16^round
    add: u32, // whether sums continue those of earlier chunks
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> tasks: array<u32>;
@group(0) @binding(2) var<storage, read_write> buckets: array<u32>;
@group(0) @binding(3) var<storage, read_write> slots: array<u32>;

const SLOTS = 1u;

// One invocation per slot.
@compute @workgroup_size(64)
fn fold(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) local: u32) {
    let slot = (group.y * groups.x + group.x) * 64u + local;
    if (slot >= tasks[params.totals + SLOTS]) {
        return;
    }
    let split = params.splits + 4u * tasks[params.owners + slot];
    let piece = slot - tasks[split + 1u];
    let pieces = tasks[split + 2u];
    let span = 16u * params.distance;
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
    let bucket = tasks[split];
    if (params.add != 0u) {
        sum = sum_add(sum, buckets_sum(bucket));
    }
    buckets_set_sum(bucket, sum);
}
