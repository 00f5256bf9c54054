// The prime field: N words, Montgomery form with R = 2^(32·N), values always below p.
//
// The prelude defines N, SPARE (bits that p leaves free in N words), P_LOW_IS_ONE, P_INV (−p⁻¹ mod
// 2^32) and the constants P (p) and ONE (R mod p).
#pragma once
#include "words.cuh"

struct Fp {
    u32 w[N];
};

__device__ __forceinline__ Fp fp_zero() {
    Fp r;
#pragma unroll
    for (int i = 0; i < N; i++) r.w[i] = 0;
    return r;
}

__device__ __forceinline__ Fp fp_one() {
    Fp r;
#pragma unroll
    for (int i = 0; i < N; i++) r.w[i] = ONE[i];
    return r;
}

__device__ __forceinline__ bool fp_is_zero(const Fp &a) {
    u32 any = 0;
#pragma unroll
    for (int i = 0; i < N; i++) any |= a.w[i];
    return any == 0;
}

// a − p if that is not negative; `over` is the carry out of a's top word.
__device__ __forceinline__ Fp fp_reduce_once(const Fp &a, u32 over) {
    Fp r;
    r.w[0] = sub_cc(a.w[0], P[0]);
#pragma unroll
    for (int i = 1; i < N; i++) r.w[i] = subc_cc(a.w[i], P[i]);
    bool below = subc(over, 0) != 0;
#pragma unroll
    for (int i = 0; i < N; i++) r.w[i] = below ? a.w[i] : r.w[i];
    return r;
}

__device__ __forceinline__ Fp fp_add(const Fp &a, const Fp &b) {
    Fp r;
    r.w[0] = add_cc(a.w[0], b.w[0]);
#pragma unroll
    for (int i = 1; i < N; i++) r.w[i] = addc_cc(a.w[i], b.w[i]);
    u32 over = addc(0, 0);
    return fp_reduce_once(r, over);
}

__device__ __forceinline__ Fp fp_sub(const Fp &a, const Fp &b) {
    Fp r;
    r.w[0] = sub_cc(a.w[0], b.w[0]);
#pragma unroll
    for (int i = 1; i < N; i++) r.w[i] = subc_cc(a.w[i], b.w[i]);
    u32 mask = subc(0, 0);
    r.w[0] = add_cc(r.w[0], P[0] & mask);
#pragma unroll
    for (int i = 1; i < N - 1; i++) r.w[i] = addc_cc(r.w[i], P[i] & mask);
    r.w[N - 1] = addc(r.w[N - 1], P[N - 1] & mask);
    return r;
}

__device__ __forceinline__ Fp fp_double(const Fp &a) { return fp_add(a, a); }

__device__ __forceinline__ Fp fp_neg(const Fp &a) { return fp_sub(fp_zero(), a); }

#if SPARE > 0

// Montgomery product with the partial products of even and odd words in two accumulators, so that
// each is one carry chain: T = even + odd·2^32, both N words. A step adds a·b[i] and the multiple
// of p that clears the lowest word, and shifts T down by that word, which swaps the roles of the
// accumulators. p < 2^(32N−1) keeps T below 2^(32(N+1)).

// acc += Σ a[j]·b·2^(32j) over even j; the carry goes to `top`.
__device__ __forceinline__ void row(u32 (&acc)[N], u32 &top, const u32 *a, u32 b) {
    acc[0] = mad_lo_cc(a[0], b, acc[0]);
    acc[1] = madc_hi_cc(a[0], b, acc[1]);
#pragma unroll
    for (int j = 2; j < N; j += 2) {
        acc[j] = madc_lo_cc(a[j], b, acc[j]);
        acc[j + 1] = madc_hi_cc(a[j], b, acc[j + 1]);
    }
    top = addc(top, 0);
}

// The same without a carry out.
__device__ __forceinline__ void row_inner(u32 (&acc)[N], const u32 *a, u32 b) {
    acc[0] = mad_lo_cc(a[0], b, acc[0]);
#pragma unroll
    for (int j = 0; j < N - 2; j += 2) {
        acc[j + 1] = madc_hi_cc(a[j], b, acc[j + 1]);
        acc[j + 2] = madc_lo_cc(a[j + 2], b, acc[j + 2]);
    }
    acc[N - 1] = madc_hi(a[N - 2], b, acc[N - 1]);
}

// Adds m·p with m chosen to clear even[0].
__device__ __forceinline__ void fold(u32 (&even)[N], u32 (&odd)[N]) {
#if P_LOW_IS_ONE
    u32 m = negate(even[0]);
    row_inner(odd, P + 1, m);
    even[0] = add_cc(even[0], m);
    even[1] = addc_cc(even[1], 0);
#pragma unroll
    for (int j = 2; j < N; j += 2) {
        even[j] = madc_lo_cc(P[j], m, even[j]);
        even[j + 1] = madc_hi_cc(P[j], m, even[j + 1]);
    }
    odd[N - 1] = addc(odd[N - 1], 0);
#else
    u32 m = even[0] * P_INV;
    row_inner(odd, P + 1, m);
    row(even, odd[N - 1], P, m);
#endif
}

// Shifts T down by the word that `low` has cleared and adds a·b: afterwards `high` holds the even
// products and `low` the odd ones.
__device__ __forceinline__ void step(u32 (&high)[N], u32 (&low)[N], const u32 *a, u32 b) {
    high[0] = add_cc(high[0], low[1]);
#pragma unroll
    for (int j = 0; j < N - 2; j += 2) {
        low[j] = madc_lo_cc(a[j + 1], b, low[j + 2]);
        low[j + 1] = madc_hi_cc(a[j + 1], b, low[j + 3]);
    }
    low[N - 2] = madc_lo_cc(a[N - 1], b, 0);
    low[N - 1] = madc_hi(a[N - 1], b, 0);
    row(high, low[N - 1], a, b);
    fold(high, low);
}

__device__ __forceinline__ Fp fp_mul_inline(const Fp &a, const Fp &b) {
    u32 even[N], odd[N];
#pragma unroll
    for (int j = 0; j < N; j += 2) {
        u64 e = (u64)a.w[j] * b.w[0], o = (u64)a.w[j + 1] * b.w[0];
        even[j] = (u32)e, even[j + 1] = (u32)(e >> 32);
        odd[j] = (u32)o, odd[j + 1] = (u32)(o >> 32);
    }
    fold(even, odd);
#pragma unroll
    for (int i = 1; i < N; i += 2) {
        step(odd, even, a.w, b.w[i]);
        if (i + 1 < N) step(even, odd, a.w, b.w[i + 1]);
    }
    // The last step left the odd products of T in `even` (N is even) and the cleared word in
    // odd[0].
    Fp r;
    r.w[0] = add_cc(even[0], odd[1]);
#pragma unroll
    for (int j = 1; j < N - 1; j++) r.w[j] = addc_cc(even[j], odd[j + 1]);
    r.w[N - 1] = addc(even[N - 1], 0);
    return fp_reduce_once(r, 0);
}

#else

// p fills its words: the plain word-by-word product, with room for the carries.
__device__ __forceinline__ Fp fp_mul_inline(const Fp &a, const Fp &b) {
    u32 t[N + 2];
#pragma unroll
    for (int j = 0; j < N + 2; j++) t[j] = 0;
#pragma unroll
    for (int i = 0; i < N; i++) {
        u64 c = 0;
#pragma unroll
        for (int j = 0; j < N; j++) {
            c += (u64)a.w[j] * b.w[i] + t[j];
            t[j] = (u32)c;
            c >>= 32;
        }
        c += t[N];
        t[N] = (u32)c;
        t[N + 1] = (u32)(c >> 32);
        u32 m = t[0] * P_INV;
        c = ((u64)m * P[0] + t[0]) >> 32;
#pragma unroll
        for (int j = 1; j < N; j++) {
            c += (u64)m * P[j] + t[j];
            t[j - 1] = (u32)c;
            c >>= 32;
        }
        c += t[N];
        t[N - 1] = (u32)c;
        t[N] = t[N + 1] + (u32)(c >> 32);
    }
    Fp r;
#pragma unroll
    for (int j = 0; j < N; j++) r.w[j] = t[j];
    return fp_reduce_once(r, t[N]);
}

#endif

// Kernels that are not worth their compile time when everything is inlined define COLD; in large
// fields no kernel is, since the code would outgrow the instruction cache.
#if defined(COLD) || DEGREE > 1 || N > 12
__device__ __noinline__ Fp fp_mul(Fp a, Fp b) { return fp_mul_inline(a, b); }
#else
__device__ __forceinline__ Fp fp_mul(const Fp &a, const Fp &b) { return fp_mul_inline(a, b); }
#endif

__device__ __forceinline__ Fp fp_sqr(const Fp &a) { return fp_mul(a, a); }
