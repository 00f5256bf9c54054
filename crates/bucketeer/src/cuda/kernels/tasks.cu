// Between group and accumulate: the lists of the buckets are cut into tasks of at most `slice`
// entries, ordered by length, longest first, so that the threads of a warp finish together.
//
// A bucket with one task gets its sum from it. A bucket with several is a *split* bucket: its tasks
// leave partial sums in slots one after the other, which are then folded.
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

extern "C" __global__ void count_classes(const u32 *starts, u32 keys, u32 slice, u32 *counters) {
    __shared__ u32 classes[CLASSES];
    for (u32 j = threadIdx.x; j < CLASSES; j += blockDim.x) classes[j] = 0;
    __syncthreads();
    u64 key = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    for (; key < keys; key += (u64)gridDim.x * blockDim.x) {
        u32 length = starts[key + 1] - starts[key];
        if (length == 0) continue;
        Cut c = cut(length, slice);
        if (c.longer) atomicAdd(classes + class_of(c.each + 1), c.longer);
        atomicAdd(classes + class_of(c.each), c.pieces - c.longer);
    }
    __syncthreads();
    for (u32 j = threadIdx.x; j < CLASSES; j += blockDim.x)
        if (classes[j]) atomicAdd(counters + CLASS_CURSORS + j, classes[j]);
}

// One block of CLASSES threads.
extern "C" __global__ void scan_classes(u32 *counters) {
    __shared__ u32 sums[CLASSES];
    u32 own = counters[CLASS_CURSORS + threadIdx.x];
    sums[threadIdx.x] = own;
    __syncthreads();
    for (u32 d = 1; d < CLASSES; d *= 2) {
        u32 before = threadIdx.x >= d ? sums[threadIdx.x - d] : 0;
        __syncthreads();
        sums[threadIdx.x] += before;
        __syncthreads();
    }
    counters[CLASS_CURSORS + threadIdx.x] = sums[threadIdx.x] - own;
    if (threadIdx.x == CLASSES - 1) counters[TASKS] = sums[threadIdx.x];
}

// One key per thread.
extern "C" __global__ void make_tasks(
    const u32 *starts, u32 keys, u32 slice, u32 *counters, Task *tasks, Split *splits, Split
    *large) {
    __shared__ u32 classes[CLASSES];
    __shared__ u32 reserved[3];
    for (u32 j = threadIdx.x; j < CLASSES; j += blockDim.x) classes[j] = 0;
    if (threadIdx.x < 3) reserved[threadIdx.x] = 0;
    __syncthreads();
    u64 key = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    u32 start = 0, length = 0, slot = 0, split = 0, big = 0;
    Cut c = Cut{0, 0, 0};
    if (key < keys) {
        start = starts[key];
        length = starts[key + 1] - start;
    }
    if (length) {
        c = cut(length, slice);
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
    if (length == 0) return;
    slot += reserved[0];
    if (c.pieces > 1) {
        Split s = Split{(u32)key, slot, c.pieces, 0};
        splits[reserved[1] + split] = s;
        if (c.pieces > FOLD) large[reserved[2] + big] = s;
    }
    for (u32 piece = 0; piece < c.pieces; piece++) {
        u32 own = c.each + (piece < c.longer);
        u32 place = atomicAdd(classes + class_of(own), 1);
        tasks[place] = Task{(u32)key, start, own, c.pieces > 1 ? slot + piece : NO_SLOT};
        start += own;
    }
}
