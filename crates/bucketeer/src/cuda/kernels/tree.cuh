// The sum of what the lanes of a group hold, by a tree of additions in shared memory.
//
// Four lanes share an addition, each with one of the four products that do not depend on each
// other: a thread by itself takes 14 products one after the other (in the Edwards form 9), four
// lanes take 4 (3). Where few sums are added up, that is what counts: most of the GPU idles anyway.
#pragma once
#include "curve.cuh"

constexpr u32 FULL_WARP = 0xffffffffu;

// The sums of a block's threads, word by word, so that lanes use different banks.
__shared__ u32 tree[TREE_BLOCK * SUM_FIELDS * FQ_WORDS];

__device__ __forceinline__ u32 *tree_at(u32 field, u32 thread) {
    u32 warp = thread / 32 * SUM_FIELDS + field;
    return tree + warp * FQ_WORDS * 32 + ((thread + 8 * field) & 31);
}

__device__ __forceinline__ Fq tree_load(u32 field, u32 thread) {
    Fq r;
    u32 *words = (u32 *)&r;
    const u32 *from = tree_at(field, thread);
#pragma unroll
    for (int i = 0; i < FQ_WORDS; i++) words[i] = from[32 * i];
    return r;
}

__device__ __forceinline__ void tree_store(u32 field, u32 thread, const Fq &a) {
    const u32 *words = (const u32 *)&a;
    u32 *to = tree_at(field, thread);
#pragma unroll
    for (int i = 0; i < FQ_WORDS; i++) to[32 * i] = words[i];
}

// What another of the four lanes has.
__device__ __forceinline__ Fq fq_of_lane(const Fq &a, u32 lane) {
    Fq r;
    const u32 *from = (const u32 *)&a;
    u32 *to = (u32 *)&r;
#pragma unroll
    for (int i = 0; i < FQ_WORDS; i++) to[i] = __shfl_sync(FULL_WARP, from[i], lane, 4);
    return r;
}

// The value for this lane of the four.
__device__ __forceinline__ Fq fq_of_four(u32 lane, const Fq &a, const Fq &b, const Fq &c,
                                         const Fq &d) {
    return fq_select(lane < 2, fq_select(lane == 0, a, b), fq_select(lane == 2, c, d));
}

#if EDWARDS

// Adds the sum of thread b to that of thread a, if `active`; as in edwards.cuh. All lanes of the
// warp call it, four with the same arguments.
__device__ __forceinline__ void tree_add(u32 a, u32 b, bool active) {
    u32 lane = threadIdx.x & 3;
    u32 first = lane < 2 ? 0 : lane, second = lane < 2 ? 1 : lane;
    Fq x1 = tree_load(first, a), y1 = tree_load(second, a);
    Fq x2 = tree_load(first, b), y2 = tree_load(second, b);
    // (Y₁ − X₁)·(Y₂ − X₂), (Y₁ + X₁)·(Y₂ + X₂), Z₁·Z₂, T₁·T₂
    Fq left = fq_of_four(lane, fq_sub(y1, x1), fq_add(y1, x1), x1, x1);
    Fq right = fq_of_four(lane, fq_sub(y2, x2), fq_add(y2, x2), x2, x2);
    Fq product = fq_mul(left, right);
    Fq c = fq_of_lane(fq_mul(product, twice_d()), 3), d = fq_double(fq_of_lane(product, 2));
    Fq e = fq_of_lane(product, 1), h = fq_of_lane(product, 0);
    Fq f = fq_sub(d, c), g = fq_add(d, c);
    c = fq_sub(e, h), h = fq_add(e, h), e = c;
    Fq sum = fq_mul(fq_of_four(lane, e, g, f, e), fq_of_four(lane, f, h, g, h));
    __syncwarp();
    if (active) tree_store(lane, a, sum);
}

#else

// This is rare.
__device__ __noinline__ void tree_double(u32 thread) {
    Sum s = Sum{tree_load(0, thread), tree_load(1, thread), tree_load(2, thread),
                tree_load(3, thread)};
    s = sum_double(s);
    tree_store(0, thread, s.x);
    tree_store(1, thread, s.y);
    tree_store(2, thread, s.zz);
    tree_store(3, thread, s.zzz);
}

// Adds the sum of thread b to that of thread a, if `active`; as in weierstrass.cuh. All lanes of
// the warp call it, four with the same arguments.
__device__ __forceinline__ void tree_add(u32 a, u32 b, bool active) {
    u32 lane = threadIdx.x & 3;
    bool left = lane < 2;
    // U₁ = X₁·ZZ₂, S₁ = Y₁·ZZZ₂, U₂ = X₂·ZZ₁, S₂ = Y₂·ZZZ₁
    Fq z = tree_load((lane & 1) + 2, left ? b : a);
    u32 infinite = fq_is_zero(z);
    bool a_infinite = __shfl_sync(FULL_WARP, infinite, 2, 4);
    bool b_infinite = __shfl_sync(FULL_WARP, infinite, 0, 4);
    Fq u = fq_mul(tree_load(lane & 1, left ? a : b), z);
    Fq other = fq_of_lane(u, lane ^ 2);
    // P = U₂ − U₁ or R = S₂ − S₁
    Fq d = fq_sub(fq_select(left, other, u), fq_select(left, u, other));
    u32 equal = fq_is_zero(d);
    bool same_x = __shfl_sync(FULL_WARP, equal, 0, 4), same_y = __shfl_sync(FULL_WARP, equal, 1, 4);
    // PP = P², RR = R², ZZ₁·ZZ₂, ZZZ₁·ZZZ₂
    u32 field = left ? 2 : lane;
    Fq m = fq_mul(fq_select(left, d, tree_load(field, a)), fq_select(left, d, tree_load(field, b)));
    Fq p = fq_of_lane(d, 0), pp = fq_of_lane(m, 0), rr = fq_of_lane(m, 1), s1 = fq_of_lane(u, 1);
    // Q = U₁·PP, PPP = P·PP, ZZ₃ = ZZ₁·ZZ₂·PP
    Fq n = fq_mul(fq_of_four(lane, u, p, m, m), pp);
    Fq q = fq_of_lane(n, 0), ppp = fq_of_lane(n, 1);
    Fq x = fq_sub(fq_sub(rr, ppp), fq_double(q));
    // R·(Q − X₃), S₁·PPP, ZZZ₃ = ZZZ₁·ZZZ₂·PPP
    Fq o = fq_mul(fq_of_four(lane, d, d, s1, m), fq_select(left, fq_sub(q, x), ppp));
    Fq y = fq_sub(o, fq_of_lane(o, 2));
    Fq sum = fq_of_four(lane, x, y, n, o);
    if (a_infinite) sum = tree_load(lane, b);
    else if (same_x) sum = fq_zero();
    __syncwarp();
    if (!active || (b_infinite && !a_infinite)) return;
    if (same_x && same_y && !a_infinite) {
        if (lane == 0) tree_double(a);
    } else {
        tree_store(lane, a, sum);
    }
}

#endif

__device__ __forceinline__ void tree_store_sum(const Sum &s) {
    const Fq *fields = (const Fq *)&s;
#pragma unroll
    for (u32 field = 0; field < SUM_FIELDS; field++)
        tree_store(field, threadIdx.x, fields[field]);
}

__device__ __forceinline__ Sum tree_load_sum() {
    Sum s;
    Fq *fields = (Fq *)&s;
#pragma unroll
    for (u32 field = 0; field < SUM_FIELDS; field++)
        fields[field] = tree_load(field, threadIdx.x);
    return s;
}

// Adds up `count` sums that are `distance` threads apart, in each of `groups` groups of threads
// that are `stride` apart, the first of them `start`: by one warp.
__device__ __forceinline__ void tree_of_warp(u32 start, u32 groups, u32 stride, u32 count,
                                             u32 distance) {
    u32 quad = (threadIdx.x & 31) / 4;
    for (u32 half = count / 2; half > 0; half /= 2) {
        u32 additions = groups * half;
        for (u32 first = 0; first < additions; first += 8) {
            bool active = first + quad < additions;
            u32 own = active ? first + quad : 0;
            u32 a = start + own / half * stride + own % half * distance;
            tree_add(a, a + half * distance, active);
            __syncwarp();
        }
    }
}

// Adds up the sums of the `width` lanes of a group; the first lane gets the total. Every lane of
// the warp must call it.
__device__ __forceinline__ void sum_group(Sum &s, u32 width) {
    if (width == 1) return;
    __syncwarp();
    tree_store_sum(s);
    __syncwarp();
    tree_of_warp(threadIdx.x & ~31u, 32 / width, width, width, 1);
    s = tree_load_sum();
}

// The same for groups of up to a whole block. Every thread of the block must call it.
__device__ __forceinline__ void sum_wide_group(Sum &s, u32 width) {
    if (width <= 32) {
        sum_group(s, width);
        return;
    }
    sum_group(s, 32);
    __syncthreads();
    if ((threadIdx.x & (width - 1)) < 32)
        tree_of_warp(threadIdx.x & ~31u, 1, 0, width / 32, 32);
    s = tree_load_sum();
}
