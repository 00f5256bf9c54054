// Between group and accumulate: the lists of the buckets are cut into tasks of at most
// `task_entries` entries, ordered by length, longest first, so that the threads of a warp finish
// together.
//
// A bucket with one task gets its sum from it. A bucket with several is a *split* bucket: its tasks
// leave partial sums in slots one after the other, which are then folded, or are the lists of
// another round. Where that round adds what the buckets hold, all buckets are split (`least` is 1).
#include "interface.cuh"

__device__ __forceinline__ u32 class_of(u32 length) {
    return CLASSES - 1 - (length < CLASSES ? length : CLASSES - 1); // longest first
}

// How a list of `length` entries is cut: `longer` pieces of `each` + 1 entries and the rest of
// `each`.
struct Cut {
    u32 pieces, each, longer;
};

__device__ __forceinline__ Cut cut(u32 length, u32 task_entries) {
    u32 pieces = length / task_entries + (length % task_entries != 0);
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

extern "C" __global__ void count_classes(Lists lists, u32 task_entries, u32 *counters) {
    __shared__ u32 classes[CLASSES];
    for (u32 j = threadIdx.x; j < CLASSES; j += blockDim.x) classes[j] = 0;
    __syncthreads();
    u32 count = count_of(lists);
    u64 index = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    for (; index < count; index += (u64)gridDim.x * blockDim.x) {
        u32 length = list_at(lists, index).length;
        if (length == 0) continue;
        Cut c = cut(length, task_entries);
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
extern "C" __global__ void __launch_bounds__(CLASSES) scan_classes(u32 *counters) {
    u32 own = counters[CLASS_CURSORS + threadIdx.x], sum = inclusive_scan(own);
    counters[CLASS_CURSORS + threadIdx.x] = sum - own;
    if (threadIdx.x == CLASSES - 1) counters[TASKS] = sum;
}

// After scan_classes, one block of CLASSES threads. The tasks longer than s are the first
// bounds[s + 1] − bounds[s]; their entries of step s are bounds[s] … bounds[s + 1]. Two pairs
// follow: the bounds of all tasks, and those of none.
extern "C" __global__ void __launch_bounds__(CLASSES) scan_steps(const u32 *counters, u32 *bounds) {
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
    const Task *tasks, const u32 *task_count, const u32 *entries, const u32 *bounds, u32 *steps,
    u32 *targets) {
    u32 at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= *task_count) return;
    Task task = tasks[at];
    for (u32 s = 0; s < task.length; s++)
        steps[bounds[s] + at] = entries ? entries[task.start + s] : task.start + s;
    targets[at] = task.slot == NO_SLOT ? task.bucket : NO_ENTRY;
}

// The tasks of one list: where the longer ones go, and where the others go.
struct Pieces {
    List list;
    Cut cut;
    u32 slot, longer_at, others_at;
};

__device__ __forceinline__ void make_task(const Pieces &p, u32 piece, Task *tasks) {
    bool longer = piece < p.cut.longer;
    u32 longer_before = longer ? piece : p.cut.longer;
    u32 start = p.list.start + piece * p.cut.each + longer_before;
    u32 place = longer ? p.longer_at + piece : p.others_at + piece - p.cut.longer;
    u32 slot = p.slot == NO_SLOT ? NO_SLOT : p.slot + piece;
    tasks[place] = Task{p.list.bucket, start, p.cut.each + longer, slot};
}

// One list per thread. Lists of many tasks are left to all threads of the block.
extern "C" __global__ void __launch_bounds__(TASKS_BLOCK) make_tasks(
    Lists lists, u32 task_entries, u32 least, u32 *counters, Task *tasks, Split *splits,
    Split *large) {
    __shared__ u32 classes[CLASSES];
    __shared__ u32 reserved[3];
    __shared__ Pieces shared_pieces[TASKS_BLOCK];
    __shared__ u32 shared_count;
    for (u32 j = threadIdx.x; j < CLASSES; j += blockDim.x) classes[j] = 0;
    if (threadIdx.x < 3) reserved[threadIdx.x] = 0;
    if (threadIdx.x == 0) shared_count = 0;
    __syncthreads();
    u64 index = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    u32 split = 0, big = 0;
    Pieces p = Pieces{List{0, 0, 0}, Cut{0, 0, 0}, NO_SLOT, 0, 0};
    if (index < count_of(lists)) p.list = list_at(lists, index);
    if (p.list.length) {
        p.cut = cut(p.list.length, task_entries);
        if (p.cut.longer)
            p.longer_at = atomicAdd(classes + class_of(p.cut.each + 1), p.cut.longer);
        p.others_at = atomicAdd(classes + class_of(p.cut.each), p.cut.pieces - p.cut.longer);
        if (p.cut.pieces >= least) {
            p.slot = atomicAdd(reserved, p.cut.pieces);
            split = atomicAdd(reserved + 1, 1);
            if (p.cut.pieces > FOLD) big = atomicAdd(reserved + 2, 1);
        }
    }
    __syncthreads();
    for (u32 j = threadIdx.x; j < CLASSES; j += blockDim.x)
        if (classes[j]) classes[j] = atomicAdd(counters + CLASS_CURSORS + j, classes[j]);
    if (threadIdx.x < 3 && reserved[threadIdx.x])
        reserved[threadIdx.x] = atomicAdd(counters + SLOTS + threadIdx.x, reserved[threadIdx.x]);
    __syncthreads();
    if (p.list.length) {
        if (p.cut.longer) p.longer_at += classes[class_of(p.cut.each + 1)];
        p.others_at += classes[class_of(p.cut.each)];
        if (p.slot != NO_SLOT) {
            p.slot += reserved[0];
            Split s = Split{p.list.bucket, p.slot, p.cut.pieces, 0};
            splits[reserved[1] + split] = s;
            if (p.cut.pieces > FOLD) large[reserved[2] + big] = s;
        }
        if (p.cut.pieces > MANY_TASKS) shared_pieces[atomicAdd(&shared_count, 1)] = p;
        else
            for (u32 piece = 0; piece < p.cut.pieces; piece++) make_task(p, piece, tasks);
    }
    __syncthreads();
    for (u32 j = 0; j < shared_count; j++)
        for (u32 piece = threadIdx.x; piece < shared_pieces[j].cut.pieces; piece += blockDim.x)
            make_task(shared_pieces[j], piece, tasks);
}
