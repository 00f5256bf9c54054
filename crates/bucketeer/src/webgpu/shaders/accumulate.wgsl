// Stage 3, accumulate: lists → bucket sums.

// One invocation per task.
@compute @workgroup_size(INVOCATIONS)
fn accumulate(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let at = (group.y * groups.x + group.x) * INVOCATIONS + local;
    if (at >= tasks[params.totals + TASKS]) {
        return;
    }
    let task = TASK_WORDS * at;
    let bucket = tasks[task + TASK_BUCKET];
    let start = tasks[task + TASK_START];
    let end = start + tasks[task + TASK_LENGTH];
    let slot = tasks[task + TASK_SLOT];
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
