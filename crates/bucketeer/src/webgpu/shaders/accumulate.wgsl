// Stage 3, accumulate: lists → bucket sums.

struct Params {
    totals: u32, // place of the number of tasks in `tasks`
    add: u32, // whether sums continue those of earlier chunks
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> table: array<u32>;
@group(0) @binding(2) var<storage, read> entries: array<u32>;
@group(0) @binding(3) var<storage, read> tasks: array<u32>;
@group(0) @binding(4) var<storage, read_write> buckets: array<u32>;
@group(0) @binding(5) var<storage, read_write> slots: array<u32>;

const NEGATIVE = 0x80000000u;
const NO_SLOT = 0xffffffffu;

// One invocation per task.
@compute @workgroup_size(64)
fn accumulate(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
              @builtin(local_invocation_index) local: u32) {
    let at = (group.y * groups.x + group.x) * 64u + local;
    if (at >= tasks[params.totals]) {
        return;
    }
    let bucket = tasks[4u * at];
    let start = tasks[4u * at + 1u];
    let end = start + tasks[4u * at + 2u];
    let slot = tasks[4u * at + 3u];
    var sum = sum_identity();
    if (slot == NO_SLOT && params.add != 0u) {
        sum = buckets_sum(bucket);
    }
    for (var i = start; i < end; i++) {
        let entry = entries[i];
        sum = sum_add_base(sum, table_base(entry & ~NEGATIVE), (entry & NEGATIVE) != 0u);
    }
    if (slot == NO_SLOT) {
        buckets_set_sum(bucket, sum);
    } else {
        slots_set_sum(slot, sum);
    }
}
