// The prime field: N words, Montgomery form with R = 2^(32·N), values always below p.
//
// The prelude defines N, SPARE (bits that p leaves free in N words), MULTIPLES (⌊R/p⌋, so that
// MULTIPLES·p < R), P_LOW_IS_ONE, P_INV (−p⁻¹ mod 2^32) and the constants P (p) and ONE (R mod p).
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

// Montgomery products with the partial products of even and odd words in two accumulators, so that
// each is one carry chain: T = even + odd·2^32, both N words. A step shifts T down by the word that
// the step before has cleared, which swaps the roles of the accumulators, adds products and the
// multiple of p that clears the lowest word. If all it adds is at most k·p·(2^32 − 1), T stays
// below k·p, and below k·p·2^32 within a step: it fits if k·p < R.

// acc += Σ a[j]·b·2^(32j) over even j from `from` on; the carry goes to `top`.
__device__ __forceinline__ void row(u32 (&acc)[N], u32 &top, const u32 *a, u32 b, int from = 0) {
#pragma unroll
    for (int j = from; j < N; j += 2) {
        acc[j] = j == from ? mad_lo_cc(a[j], b, acc[j]) : madc_lo_cc(a[j], b, acc[j]);
        acc[j + 1] = madc_hi_cc(a[j], b, acc[j + 1]);
    }
    top = addc(top, 0);
}

// The same without a carry out; with `carry`, the chain continues the one before it.
__device__ __forceinline__ void row_inner(u32 (&acc)[N], const u32 *a, u32 b, int from = 0,
                                          bool carry = false) {
    acc[from] = carry ? madc_lo_cc(a[from], b, acc[from]) : mad_lo_cc(a[from], b, acc[from]);
#pragma unroll
    for (int j = from; j < N - 2; j += 2) {
        acc[j + 1] = madc_hi_cc(a[j], b, acc[j + 1]);
        acc[j + 2] = madc_lo_cc(a[j + 2], b, acc[j + 2]);
    }
    acc[N - 1] = madc_hi(a[N - 2], b, acc[N - 1]);
}

// Adds m·p with m chosen to clear even[0].
__device__ __forceinline__ void fold(u32 (&even)[N], u32 (&odd)[N], bool carry = false) {
#if P_LOW_IS_ONE
    u32 m = negate(even[0]);
    row_inner(odd, P + 1, m, 0, carry);
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
    row_inner(odd, P + 1, m, 0, carry);
    row(even, odd[N - 1], P, m);
#endif
}

// T = a·b
__device__ __forceinline__ void start(u32 (&even)[N], u32 (&odd)[N], const u32 *a, u32 b) {
#pragma unroll
    for (int j = 0; j < N; j += 2) {
        u64 e = (u64)a[j] * b, o = (u64)a[j + 1] * b;
        even[j] = (u32)e, even[j + 1] = (u32)(e >> 32);
        odd[j] = (u32)o, odd[j + 1] = (u32)(o >> 32);
    }
}

// Shifts T down by the lowest word and adds a·b: afterwards `high` holds the even products and
// `low` the odd ones.
__device__ __forceinline__ void shift_and_add(u32 (&high)[N], u32 (&low)[N], const u32 *a, u32 b) {
    high[0] = add_cc(high[0], low[1]);
#pragma unroll
    for (int j = 0; j < N - 2; j += 2) {
        low[j] = madc_lo_cc(a[j + 1], b, low[j + 2]);
        low[j + 1] = madc_hi_cc(a[j + 1], b, low[j + 3]);
    }
    low[N - 2] = madc_lo_cc(a[N - 1], b, 0);
    low[N - 1] = madc_hi(a[N - 1], b, 0);
    row(high, low[N - 1], a, b);
}

// Shifts `low` down by two words and returns the upper of them, which belongs to `high`.
__device__ __forceinline__ u32 shift(u32 (&low)[N]) {
    u32 upper = low[1];
#pragma unroll
    for (int j = 0; j < N - 2; j++) low[j] = low[j + 2];
    low[N - 2] = low[N - 1] = 0;
    return upper;
}

// T after the last step, shifted down. The step left the odd products in `even` (N is even).
__device__ __forceinline__ Fp last_shift(const u32 (&even)[N], const u32 (&odd)[N]) {
    Fp r;
    r.w[0] = add_cc(even[0], odd[1]);
#pragma unroll
    for (int j = 1; j < N - 1; j++) r.w[j] = addc_cc(even[j], odd[j + 1]);
    r.w[N - 1] = addc(even[N - 1], 0);
    return r;
}

// a·b/R: 2N² wide products. A step adds a + p times 2^32 − 1 at most: here k = 2, and 3 for callers
// with a < 2p, who need 3p < R. The result is below a·b/R + p before the last subtraction.
__device__ __forceinline__ Fp fp_mul_inline(const Fp &a, const Fp &b) {
    u32 even[N], odd[N];
    start(even, odd, a.w, b.w[0]);
    fold(even, odd);
#pragma unroll
    for (int i = 1; i < N; i += 2) {
        shift_and_add(odd, even, a.w, b.w[i]);
        fold(odd, even);
        if (i + 1 == N) break;
        shift_and_add(even, odd, a.w, b.w[i + 1]);
        fold(even, odd);
    }
    return fp_reduce_once(last_shift(even, odd), 0);
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

#if MULTIPLES >= 3

// What a[i] is multiplied by in a square: itself and twice the words above it. `twice` is 2a; its
// word i + 1 has a bit of a[i].
__device__ __forceinline__ void square_factors(u32 (&factors)[N], const u32 *a, const u32 *twice,
                                               int i) {
#pragma unroll
    for (int j = 0; j < N; j++) factors[j] = j == i ? a[j] : j == i + 1 ? a[j] << 1 : twice[j];
}

// Shifts T down by the lowest word, adds the products of a[i] from word i on and clears the new
// lowest word. The chain that adds the multiple of p adds its carry too.
__device__ __forceinline__ void square_step(u32 (&high)[N], u32 (&low)[N], const u32 *a,
                                            const u32 *twice, int i) {
    u32 factors[N];
    square_factors(factors, a, twice, i);
    u32 upper = shift(low);
    row_inner(low, factors + 1, a[i], i - i % 2);
    if (i + 1 < N) row(high, low[N - 1], factors, a[i], i + i % 2);
    high[0] = add_cc(high[0], upper);
    fold(high, low, true);
}

// a²/R: N(N+1)/2 + N² wide products. k = 3: a step adds 2a and p times 2^32 − 1 at most.
__device__ __forceinline__ Fp fp_sqr_inline(const Fp &a) {
    u32 even[N], odd[N], twice[N], factors[N];
    twice[0] = a.w[0] << 1;
#pragma unroll
    for (int j = 1; j < N; j++) twice[j] = a.w[j] << 1 | a.w[j - 1] >> 31;
    square_factors(factors, a.w, twice, 0);
    start(even, odd, factors, a.w[0]);
    fold(even, odd);
#pragma unroll
    for (int i = 1; i < N; i += 2) {
        square_step(odd, even, a.w, twice, i);
        if (i + 1 == N) break;
        square_step(even, odd, a.w, twice, i + 1);
    }
    return fp_reduce_once(last_shift(even, odd), 0);
}

// (a·b + c·d)/R for c ≤ p: 3N² wide products, k = 3. The sum is below 2p², so the result is below
// 2p²/R + p < 2p before the last subtraction.
__device__ __forceinline__ Fp fp_mul_add_inline(const Fp &a, const Fp &b, const Fp &c,
                                                const Fp &d) {
    u32 even[N], odd[N];
    start(even, odd, a.w, b.w[0]);
    row_inner(odd, c.w + 1, d.w[0]);
    row(even, odd[N - 1], c.w, d.w[0]);
    fold(even, odd);
#pragma unroll
    for (int i = 1; i < N; i += 2) {
        shift_and_add(odd, even, a.w, b.w[i]);
        row_inner(even, c.w + 1, d.w[i]);
        row(odd, even[N - 1], c.w, d.w[i]);
        fold(odd, even);
        if (i + 1 == N) break;
        shift_and_add(even, odd, a.w, b.w[i + 1]);
        row_inner(odd, c.w + 1, d.w[i + 1]);
        row(even, odd[N - 1], c.w, d.w[i + 1]);
        fold(even, odd);
    }
    return fp_reduce_once(last_shift(even, odd), 0);
}

// p − a, from 1 to p.
__device__ __forceinline__ Fp fp_distance_to_p(const Fp &a) {
    Fp r;
    r.w[0] = sub_cc(P[0], a.w[0]);
#pragma unroll
    for (int i = 1; i < N - 1; i++) r.w[i] = subc_cc(P[i], a.w[i]);
    r.w[N - 1] = subc(P[N - 1], a.w[N - 1]);
    return r;
}

// a·b − c·d with one reduction.
__device__ __forceinline__ Fp fp_mul_sub_inline(const Fp &a, const Fp &b, const Fp &c,
                                                const Fp &d) {
    return fp_mul_add_inline(a, b, fp_distance_to_p(c), d);
}

#else

__device__ __forceinline__ Fp fp_sqr_inline(const Fp &a) { return fp_mul_inline(a, a); }

__device__ __forceinline__ Fp fp_mul_sub_inline(const Fp &a, const Fp &b, const Fp &c,
                                                const Fp &d) {
    return fp_sub(fp_mul_inline(a, b), fp_mul_inline(c, d));
}

#endif

// Kernels that are not worth their compile time when everything is inlined define COLD; in large
// fields no kernel is, since the code would outgrow the instruction cache.
#if defined(COLD) || DEGREE > 1 || N > 12
__device__ __noinline__ Fp fp_mul(Fp a, Fp b) { return fp_mul_inline(a, b); }
__device__ __noinline__ Fp fp_sqr(Fp a) { return fp_sqr_inline(a); }
__device__ __noinline__ Fp fp_mul_sub(Fp a, Fp b, Fp c, Fp d) {
    return fp_mul_sub_inline(a, b, c, d);
}
#else
__device__ __forceinline__ Fp fp_mul(const Fp &a, const Fp &b) { return fp_mul_inline(a, b); }
__device__ __forceinline__ Fp fp_sqr(const Fp &a) { return fp_sqr_inline(a); }
__device__ __forceinline__ Fp fp_mul_sub(const Fp &a, const Fp &b, const Fp &c, const Fp &d) {
    return fp_mul_sub_inline(a, b, c, d);
}
#endif
