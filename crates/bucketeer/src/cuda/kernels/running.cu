// Stage 4, reduce, by running sums; and stage 3 and 4 in one sweep over the grouped list.
#define COLD
#include "curve.cuh"
#include "interface.cuh"

// k·p by double-and-add.
__device__ __noinline__ void times(Sum *p, u32 k) {
    Sum sum = sum_identity();
    for (int bit = 31 - __clz(k | 1); bit >= 0; bit--) {
        sum = sum_double(sum);
        if (k >> bit & 1) sum_add(sum, *p);
    }
    *p = sum;
}

// One thread per slice of a set's 2^bits buckets: Σ (i + 1)·Sᵢ over the slice. Buckets are sums, or
// bases if `affine` is set.
extern "C" __global__ void __launch_bounds__(REDUCE_BLOCK) running_sums(
    const u32 *buckets, u32 affine, u32 bits, u32 slices, u32 sets, u32 *out) {
    u32 at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= sets * slices) return;
    u64 set = at / slices;
    u32 slice = at % slices, each = (1u << bits) / slices, first = slice * each;
    Sum running = sum_identity(), total = sum_identity();
    for (u32 i = each; i-- > 0;) {
        u64 index = (set << bits) + first + i;
        if (affine) sum_add_base(running, base_load(buckets, index), false);
        else sum_add(running, sum_load(buckets, index));
        sum_add(total, running);
    }
    // total counts from the slice's own start: what precedes it is missing once for each bucket.
    if (first) {
        times(&running, first);
        sum_add(total, running);
    }
    sum_store(out, at, total);
}

// One thread per slice of a set's list, from its last bucket down to its first.
extern "C" __global__ void __launch_bounds__(REDUCE_BLOCK) sweep(
    const u32 *table, const u32 *entries, const u32 *starts, u32 bits, u32 slices, u32 sets, u32
    *out) {
    u32 at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= sets * slices) return;
    u32 slice = at % slices;
    const u32 *own = starts + ((u64)(at / slices) << bits);
    u32 length = own[1u << bits] - own[0];
    u32 first = own[0] + (u32)((u64)length * slice / slices);
    u32 end = own[0] + (u32)((u64)length * (slice + 1) / slices);
    Sum running = sum_identity(), total = sum_identity();
    if (first < end) {
        // The bucket of the slice's last entry: the last one that starts at or before it.
        u32 lo = 0, hi = 1u << bits;
        while (hi - lo > 1) {
            u32 middle = (lo + hi) / 2;
            if (own[middle] <= end - 1) lo = middle;
            else hi = middle;
        }
        u32 bucket = lo;
        for (u32 i = end; i-- > first;) {
            u32 fall = 0;
            while (own[bucket] > i) bucket--, fall++;
            if (fall == 1) {
                sum_add(total, running);
            } else if (fall) {
                Sum multiple = running;
                times(&multiple, fall);
                sum_add(total, multiple);
            }
            u32 entry = entries[i];
            sum_add_base(running, base_load(table, entry & ~NEGATIVE), entry & NEGATIVE);
        }
        times(&running, bucket + 1);
        sum_add(total, running);
    }
    sum_store(out, at, total);
}
