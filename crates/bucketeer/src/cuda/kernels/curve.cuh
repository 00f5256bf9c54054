// The curve in the form the prelude chose: points as `Base` in tables and `Sum` in accumulators.
#pragma once
#if EDWARDS
#include "edwards.cuh"
#else
#include "weierstrass.cuh"
#endif

// The sum that another lane of the group of `width` lanes holds.
__device__ __forceinline__ Sum sum_from_lane(const Sum &s, u32 distance, u32 width) {
    Sum r;
    const u32 *from = (const u32 *)&s;
    u32 *to = (u32 *)&r;
#pragma unroll
    for (int i = 0; i < SUM_FIELDS * FQ_WORDS; i++)
        to[i] = __shfl_down_sync(0xffffffffu, from[i], distance, width);
    return r;
}

// Adds up the sums of the `width` lanes of a group; the first lane gets the total. Every lane of
// the warp must call it.
__device__ __forceinline__ void sum_group(Sum &s, u32 width) {
    for (u32 distance = width / 2; distance > 0; distance /= 2) {
        Sum other = sum_from_lane(s, distance, width);
        if ((threadIdx.x & (width - 1)) < distance) sum_add(s, other);
    }
}
