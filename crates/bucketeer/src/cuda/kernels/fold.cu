// The end of accumulate: the partial sums of split buckets.
#define COLD
#include "interface.cuh"
#include "tree.cuh"

// The pieces of a split bucket after some rounds of `fold_large`, and the distance between them.
__device__ __forceinline__ u32 pieces_after(u32 pieces, u32 rounds, u32 &distance) {
    distance = 1;
    for (u32 r = 0; r < rounds && pieces > FOLD; r++) {
        pieces = (pieces + FOLD - 1) / FOLD;
        distance *= FOLD;
    }
    return pieces;
}

// Every FOLD pieces of a large bucket become one, in the place of their first. A warp per result.
extern "C" __global__ void __launch_bounds__(FOLD_BLOCK) fold_large(
    const Split *large, const u32 *count, u32 round, u32 *slots) {
    u32 warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, warps = gridDim.x * blockDim.x / 32;
    u32 lane = threadIdx.x & 31, before = 0;
    for (u32 r = 0; r < *count; r++) {
        Split s = large[r];
        u32 distance, pieces = pieces_after(s.pieces, round, distance);
        if (pieces <= FOLD) continue;
        u32 results = (pieces + FOLD - 1) / FOLD;
        // The results of all buckets are dealt to the warps in turn.
        for (u32 k = (warp + warps - before % warps) % warps; k < results; k += warps) {
            Sum sum = sum_identity();
            u32 end = (k + 1) * FOLD < pieces ? (k + 1) * FOLD : pieces;
            for (u32 i = k * FOLD + lane; i < end; i += 32)
                sum_add(sum, sum_load(slots, s.slot + (u64)i * distance));
            sum_group(sum, 32);
            if (lane == 0) sum_store(slots, s.slot + (u64)k * FOLD * distance, sum);
        }
        before += results;
    }
}

// Adds a sum to a bucket that is a base, or makes it one.
__device__ __forceinline__ void to_affine_bucket(u32 *buckets, u32 bucket, Sum &sum, u32 add) {
    if (add) sum_add_base(sum, base_load(buckets, bucket), false);
    base_store(buckets, bucket, base_of_sum(sum, fq_inverse(sum_denominator(sum))));
}

// The remaining pieces of each split bucket, by a group of `width` lanes.
extern "C" __global__ void __launch_bounds__(FOLD_BLOCK) fold(
    const Split *splits, const u32 *count, u32 rounds, u32 width, u32 add, u32 affine, const u32
    *slots, u32 *buckets) {
    u32 groups = gridDim.x * blockDim.x / width, lane = threadIdx.x & (width - 1);
    u32 total = *count;
    // A warp goes on together as long as its first group has a bucket.
    u32 first = (blockIdx.x * blockDim.x + (threadIdx.x & ~31u)) / width;
    u32 own = (threadIdx.x & 31) / width;
    for (; first < total; first += groups) {
        u32 r = first + own;
        Sum sum = sum_identity();
        Split s = Split{0, 0, 0, 0};
        if (r < total) {
            s = splits[r];
            u32 distance, pieces = pieces_after(s.pieces, rounds, distance);
            for (u32 i = lane; i < pieces; i += width)
                sum_add(sum, sum_load(slots, s.slot + (u64)i * distance));
        }
        sum_group(sum, width);
        if (r < total && lane == 0 && affine) {
            to_affine_bucket(buckets, s.bucket, sum, add);
        } else if (r < total && lane == 0) {
            if (add) sum_add(sum, sum_load(buckets, s.bucket));
            sum_store(buckets, s.bucket, sum);
        }
    }
}
