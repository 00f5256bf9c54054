// Between group and accumulate: the lists of the buckets are cut into tasks of at most `slice`
// entries, ordered by length, longest first, so that the threads of a warp finish together.
//
// A bucket with one task gets its sum from it. A bucket with several is a *split* bucket: its tasks
// leave partial sums in slots one after the other, which are then folded, or are the lists of
// another round.
#include "interface.cuh"

__device__ __forceinline__ u32 class_of(u32 length) {
    return CLASSES - 1 - (length < CLASSES ? length : CLASSES - 1); // longest first
}

// How a list of `length` entries is cut: `longer` pieces of `each` + 1 entries and the rest of
// `each`.
struct Cut {
    u32 pieces, each, longer;
};

__device__ __forceinline__ Cut cut(u32 length, u32 slice) {
    u32 pieces = length / slice + (length % slice != 0);
    return Cut{pieces, length / pieces, length % pieces};
}

// A list to cut.
struct List {
    u32 bucket, start, length;
};

// How many lists there are.
__device__ __forceinline__ u32 count_of(const Lists &lists) {
    return lists.splits ? *lists.split_count : lists.keys;
}

__device__ __forceinline__ List list_at(const Lists &lists, u32 index) {
    if (lists.splits) {
        Split s = lists.splits[index];
        return List{s.bucket, s.slot, s.pieces};
    }
    u32 start = lists.starts[index];
    return List{index, start, lists.starts[index + 1] - start};
}

extern "C" __global__ void count_classes(Lists lists, u32 slice, u32 *counters) {
    __shared__ u32 classes[CLASSES];
    for (u32 j = threadIdx.x; j < CLASSES; j += blockDim.x) classes[j] = 0;
    __syncthreads();
    u32 count = count_of(lists);
    u64 index = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    for (; index < count; index += (u64)gridDim.x * blockDim.x) {
        u32 length = list_at(lists, index).length;
        if (length == 0) continue;
        Cut c = cut(length, slice);
        if (c.longer) atomicAdd(classes + class_of(c.each + 1), c.longer);
        atomicAdd(classes + class_of(c.each), c.pieces - c.longer);
    }
    __syncthreads();
    for (u32 j = threadIdx.x; j < CLASSES; j += blockDim.x)
        if (classes[j]) atomicAdd(counters + CLASS_CURSORS + j, classes[j]);
}

__shared__ u32 class_sums[CLASSES];

// The sum of the values of a block of CLASSES threads up to this one.
__device__ __forceinline__ u32 inclusive_scan(u32 own) {
    class_sums[threadIdx.x] = own;
    __syncthreads();
    for (u32 d = 1; d < CLASSES; d *= 2) {
        u32 before = threadIdx.x >= d ? class_sums[threadIdx.x - d] : 0;
        __syncthreads();
        class_sums[threadIdx.x] += before;
        __syncthreads();
    }
    return class_sums[threadIdx.x];
}

// One block of CLASSES threads.
extern "C" __global__ void scan_classes(u32 *counters) {
    u32 own = counters[CLASS_CURSORS + threadIdx.x], sum = inclusive_scan(own);
    counters[CLASS_CURSORS + threadIdx.x] = sum - own;
    if (threadIdx.x == CLASSES - 1) counters[TASKS] = sum;
}

// Behind scan_classes, one block of CLASSES threads: the tasks that are longer than s are the first
// bounds[s + 1] − bounds[s]. Their entries of step s are bounds[s] … bounds[s + 1]. Two pairs
// follow: the bounds of all tasks, and those of none.
extern "C" __global__ void scan_steps(const u32 *counters, u32 *bounds) {
    u32 own = counters[CLASS_CURSORS + class_of(threadIdx.x)];
    bounds[threadIdx.x + 1] = inclusive_scan(own);
    if (threadIdx.x == 0) {
        bounds[0] = bounds[ALL_TASKS] = bounds[NO_TASKS] = bounds[NO_TASKS + 1] = 0;
        bounds[ALL_TASKS + 1] = own;
    }
}

// Entries in the order of the steps, and the bucket that each task completes, if any. A round over
// partial sums has no list of entries: they are the slots themselves. One task per thread.
extern "C" __global__ void list_steps(
    const Task *tasks, const u32 *task_count, const u32 *entries, const u32 *bounds, u32 *steps, u32
    *targets) {
    u32 at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= *task_count) return;
    Task task = tasks[at];
    for (u32 s = 0; s < task.length; s++)
        steps[bounds[s] + at] = entries ? entries[task.start + s] : task.start + s;
    targets[at] = task.slot == NO_SLOT ? task.bucket : NO_ENTRY;
}

// One list per thread.
extern "C" __global__ void make_tasks(
    Lists lists, u32 slice, u32 *counters, Task *tasks, Split *splits, Split *large) {
    __shared__ u32 classes[CLASSES];
    __shared__ u32 reserved[3];
    for (u32 j = threadIdx.x; j < CLASSES; j += blockDim.x) classes[j] = 0;
    if (threadIdx.x < 3) reserved[threadIdx.x] = 0;
    __syncthreads();
    u64 index = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    u32 slot = 0, split = 0, big = 0;
    Cut c = Cut{0, 0, 0};
    List list = List{0, 0, 0};
    if (index < count_of(lists)) list = list_at(lists, index);
    if (list.length) {
        c = cut(list.length, slice);
        if (c.longer) atomicAdd(classes + class_of(c.each + 1), c.longer);
        atomicAdd(classes + class_of(c.each), c.pieces - c.longer);
        if (c.pieces > 1) {
            slot = atomicAdd(reserved, c.pieces);
            split = atomicAdd(reserved + 1, 1);
            if (c.pieces > FOLD) big = atomicAdd(reserved + 2, 1);
        }
    }
    __syncthreads();
    for (u32 j = threadIdx.x; j < CLASSES; j += blockDim.x)
        if (classes[j]) classes[j] = atomicAdd(counters + CLASS_CURSORS + j, classes[j]);
    if (threadIdx.x < 3 && reserved[threadIdx.x])
        reserved[threadIdx.x] = atomicAdd(counters + SLOTS + threadIdx.x, reserved[threadIdx.x]);
    __syncthreads();
    if (list.length == 0) return;
    slot += reserved[0];
    if (c.pieces > 1) {
        Split s = Split{list.bucket, slot, c.pieces, 0};
        splits[reserved[1] + split] = s;
        if (c.pieces > FOLD) large[reserved[2] + big] = s;
    }
    for (u32 piece = 0; piece < c.pieces; piece++) {
        u32 own = c.each + (piece < c.longer);
        u32 place = atomicAdd(classes + class_of(own), 1);
        tasks[place] = Task{list.bucket, list.start, own, c.pieces > 1 ? slot + piece : NO_SLOT};
        list.start += own;
    }
}
