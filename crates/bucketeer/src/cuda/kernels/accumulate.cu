// Stage 3, accumulate: lists → bucket sums.
#include "curve.cuh"

struct Task {
    u32 bucket, start, length, slot;
};
#define NO_SLOT 0xffffffffu
#define NEGATIVE 0x80000000u

// One thread per task. With `add` set, sums continue those of earlier chunks.
extern "C" __global__ void __launch_bounds__(ACCUMULATE_BLOCK, ACCUMULATE_BLOCKS)
    accumulate(const u32 *table, const u32 *entries, const Task *tasks, const u32 *task_count, u32 add, u32 *buckets, u32 *slots) {
    u32 at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= *task_count) return;
    Task task = tasks[at];
    const u32 *list = entries + task.start;
    Sum sum = sum_identity();
    if (add && task.slot == NO_SLOT) sum = sum_load(buckets, task.bucket);
    u32 entry = list[0];
    for (u32 i = 1; i <= task.length; i++) {
        Base base = base_load(table, entry & ~NEGATIVE);
        bool negative = entry & NEGATIVE;
        if (i < task.length) entry = list[i];
        sum_add_base(sum, base, negative);
    }
    bool whole = task.slot == NO_SLOT;
    sum_store(whole ? buckets : slots, whole ? task.bucket : task.slot, sum);
}
