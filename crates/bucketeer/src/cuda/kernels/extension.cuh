// The field of the curve's coordinates: the prime field, or its quadratic extension by a root of
// NON_RESIDUE. The prelude defines DEGREE and, for degree 2, how the non-residue is multiplied by:
// NEGATED_NON_RESIDUE = k for −k with a small k, or 0 and the constant NON_RESIDUE in Montgomery
// form.
#pragma once
#include "inverse.cuh"

#if DEGREE == 1

typedef Fp Fq;
#define FQ_WORDS N
#define fq_zero fp_zero
#define fq_one fp_one
#define fq_is_zero fp_is_zero
#define fq_add fp_add
#define fq_sub fp_sub
#define fq_double fp_double
#define fq_neg fp_neg
#define fq_mul fp_mul
#define fq_sqr fp_sqr
#define fq_mul_sub fp_mul_sub
#define fq_inverse fp_inverse

#else

struct Fq {
    Fp c0, c1;
};
#define FQ_WORDS (2 * N)

__device__ __forceinline__ Fq fq_zero() { return Fq{fp_zero(), fp_zero()}; }
__device__ __forceinline__ Fq fq_one() { return Fq{fp_one(), fp_zero()}; }
__device__ __forceinline__ bool fq_is_zero(const Fq &a) {
    return fp_is_zero(a.c0) && fp_is_zero(a.c1);
}
__device__ __forceinline__ Fq fq_add(const Fq &a, const Fq &b) {
    return Fq{fp_add(a.c0, b.c0), fp_add(a.c1, b.c1)};
}
__device__ __forceinline__ Fq fq_sub(const Fq &a, const Fq &b) {
    return Fq{fp_sub(a.c0, b.c0), fp_sub(a.c1, b.c1)};
}
__device__ __forceinline__ Fq fq_double(const Fq &a) { return fq_add(a, a); }
__device__ __forceinline__ Fq fq_neg(const Fq &a) { return Fq{fp_neg(a.c0), fp_neg(a.c1)}; }

// x + NON_RESIDUE·y
__device__ __forceinline__ Fp add_non_residue_times(const Fp &x, const Fp &y) {
#if NEGATED_NON_RESIDUE > 0
    Fp r = x;
#pragma unroll
    for (int i = 0; i < NEGATED_NON_RESIDUE; i++) r = fp_sub(r, y);
    return r;
#else
    Fp k;
#pragma unroll
    for (int i = 0; i < N; i++) k.w[i] = NON_RESIDUE[i];
    return fp_add(x, fp_mul(y, k));
#endif
}

#if !defined(COLD) && NEGATED_NON_RESIDUE > 0 && MULTIPLES >= 3 && MULTIPLES > NEGATED_NON_RESIDUE

// Products are reduced after they were added up: 3p < R and, for the non-residue −k, (k + 1)·p < R.
// Whole functions are called; they leave no registers for kernels that hold two sums (COLD).
struct Wide {
    u32 w[2 * N];
};

// a·b: N² wide products.
__device__ __forceinline__ Wide wide_mul(const Fp &a, const Fp &b) {
    Wide r;
    u32 even[N], odd[N];
    start(even, odd, a.w, b.w[0]);
    r.w[0] = even[0];
#pragma unroll
    for (int i = 1; i < N; i += 2) {
        shift_and_add(odd, even, a.w, b.w[i]);
        r.w[i] = odd[0];
        if (i + 1 == N) break;
        shift_and_add(even, odd, a.w, b.w[i + 1]);
        r.w[i + 1] = even[0];
    }
    Fp upper = last_shift(even, odd);
#pragma unroll
    for (int j = 0; j < N; j++) r.w[N + j] = upper.w[j];
    return r;
}

// a ± b modulo 2^(64N); the carry or borrow goes to `top`.
__device__ __forceinline__ void wide_add(Wide &a, const Wide &b, u32 &top) {
    a.w[0] = add_cc(a.w[0], b.w[0]);
#pragma unroll
    for (int j = 1; j < 2 * N; j++) a.w[j] = addc_cc(a.w[j], b.w[j]);
    top = addc(top, 0);
}

__device__ __forceinline__ void wide_sub(Wide &a, const Wide &b, u32 &top) {
    a.w[0] = sub_cc(a.w[0], b.w[0]);
#pragma unroll
    for (int j = 1; j < 2 * N; j++) a.w[j] = subc_cc(a.w[j], b.w[j]);
    top = subc(top, 0);
}

// a/R for a < p·R: N² wide products. The lower half is below R, so with its multiple of p it is at
// most p·R, and the sum of both halves below 2p.
__device__ __forceinline__ Fp wide_reduce(const Wide &a) {
    u32 even[N], odd[N];
#pragma unroll
    for (int j = 0; j < N; j++) even[j] = a.w[j], odd[j] = 0;
    fold(even, odd);
#pragma unroll
    for (int i = 1; i < N; i += 2) {
        u32 upper = shift(even);
        odd[0] = add_cc(odd[0], upper);
        fold(odd, even, true);
        if (i + 1 == N) break;
        upper = shift(odd);
        even[0] = add_cc(even[0], upper);
        fold(even, odd, true);
    }
    Fp r = last_shift(even, odd);
    r.w[0] = add_cc(r.w[0], a.w[N]);
#pragma unroll
    for (int j = 1; j < N - 1; j++) r.w[j] = addc_cc(r.w[j], a.w[N + j]);
    r.w[N - 1] = addc(r.w[N - 1], a.w[2 * N - 1]);
    return fp_reduce_once(r, 0);
}

// a + b, below 2p.
__device__ __forceinline__ Fp fp_add_unreduced(const Fp &a, const Fp &b) {
    Fp r;
    r.w[0] = add_cc(a.w[0], b.w[0]);
#pragma unroll
    for (int j = 1; j < N - 1; j++) r.w[j] = addc_cc(a.w[j], b.w[j]);
    r.w[N - 1] = addc(a.w[N - 1], b.w[N - 1]);
    return r;
}

// Integers c0 and c1 modulo 2^(64N), with the words above, which say what sign they have.
struct WideFq {
    Wide c0, c1;
    u32 top0, top1;
};

// a·b by Karatsuba: 3N² wide products. −k·p² < c0 < p² and 0 ≤ c1 < 2p².
__device__ __forceinline__ WideFq wide_fq_mul(const Fq &a, const Fq &b) {
    Wide v0 = wide_mul(a.c0, b.c0), v1 = wide_mul(a.c1, b.c1);
    Wide mixed = wide_mul(fp_add_unreduced(a.c0, a.c1), fp_add_unreduced(b.c0, b.c1));
    WideFq r = {v0, mixed, 0, 0};
    wide_sub(r.c1, v0, r.top1);
    wide_sub(r.c1, v1, r.top1);
#pragma unroll
    for (int i = 0; i < NEGATED_NON_RESIDUE; i++) wide_sub(r.c0, v1, r.top0);
    return r;
}

// a/R for −p·R < a < p·R; p·R is added if it is negative.
__device__ __forceinline__ Fp wide_reduce_signed(Wide &a, u32 top) {
    u32 mask = (u32)((int)top >> 31);
    a.w[N] = add_cc(a.w[N], P[0] & mask);
#pragma unroll
    for (int j = 1; j < N - 1; j++) a.w[N + j] = addc_cc(a.w[N + j], P[j] & mask);
    a.w[2 * N - 1] = addc(a.w[2 * N - 1], P[N - 1] & mask);
    return wide_reduce(a);
}

// 3N² + 2N² wide products.
__device__ __noinline__ Fq fq_mul(Fq a, Fq b) {
    WideFq r = wide_fq_mul(a, b);
    return Fq{wide_reduce_signed(r.c0, r.top0), wide_reduce(r.c1)};
}

#if N <= 8

// r − a·b, each of the products used up before the next one.
__device__ __forceinline__ void wide_fq_mul_sub(WideFq &r, const Fq &a, const Fq &b) {
    Wide v = wide_mul(fp_add_unreduced(a.c0, a.c1), fp_add_unreduced(b.c0, b.c1));
    wide_sub(r.c1, v, r.top1);
    v = wide_mul(a.c0, b.c0);
    wide_sub(r.c0, v, r.top0);
    wide_add(r.c1, v, r.top1);
    v = wide_mul(a.c1, b.c1);
    wide_add(r.c1, v, r.top1);
#pragma unroll
    for (int i = 0; i < NEGATED_NON_RESIDUE; i++) wide_add(r.c0, v, r.top0);
}

// a·b − c·d: 6N² + 2N² wide products. Both parts are less than (k + 1)·p² or 2p² from 0.
__device__ __noinline__ Fq fq_mul_sub(Fq a, Fq b, Fq c, Fq d) {
    WideFq r = wide_fq_mul(a, b);
    wide_fq_mul_sub(r, c, d);
    return Fq{wide_reduce_signed(r.c0, r.top0), wide_reduce_signed(r.c1, r.top1)};
}

#else

// Four operands of more words leave a kernel no registers.
__device__ __forceinline__ Fq fq_mul_sub(const Fq &a, const Fq &b, const Fq &c, const Fq &d) {
    return fq_sub(fq_mul(a, b), fq_mul(c, d));
}

#endif

// (a0 + a1)·(a0 − k·a1) + (k − 1)·a0·a1 and 2·a0·a1: two products, whose sums are below 2p.
__device__ __noinline__ Fq fq_sqr(Fq a) {
    Fp c0 = fp_mul_inline(fp_add_unreduced(a.c0, a.c1), add_non_residue_times(a.c0, a.c1));
#if NEGATED_NON_RESIDUE == 1
    return Fq{c0, fp_mul_inline(fp_add_unreduced(a.c0, a.c0), a.c1)};
#else
    Fp v = fp_mul_inline(a.c0, a.c1);
    return Fq{fp_sub(c0, add_non_residue_times(v, v)), fp_double(v)};
#endif
}

#else

// Karatsuba: three products.
__device__ __forceinline__ Fq fq_mul(const Fq &a, const Fq &b) {
    Fp sum = fp_mul(fp_add(a.c0, a.c1), fp_add(b.c0, b.c1));
    Fp v0 = fp_mul(a.c0, b.c0);
    Fp v1 = fp_mul(a.c1, b.c1);
    return Fq{add_non_residue_times(v0, v1), fp_sub(fp_sub(sum, v0), v1)};
}

// (a0 + a1)·(a0 − k·a1) + (k − 1)·a0·a1 and 2·a0·a1: two products.
__device__ __forceinline__ Fq fq_sqr(const Fq &a) {
    Fp c0 = fp_mul(fp_add(a.c0, a.c1), add_non_residue_times(a.c0, a.c1));
    Fp v = fp_mul(a.c0, a.c1);
#if NEGATED_NON_RESIDUE != 1
    c0 = fp_sub(c0, add_non_residue_times(v, v));
#endif
    return Fq{c0, fp_double(v)};
}

__device__ __forceinline__ Fq fq_mul_sub(const Fq &a, const Fq &b, const Fq &c, const Fq &d) {
    return fq_sub(fq_mul(a, b), fq_mul(c, d));
}

#endif

// 1/(c0 + c1·u) = (c0 − c1·u)/(c0² − NON_RESIDUE·c1²)
__device__ __forceinline__ Fq fq_inverse(const Fq &a) {
    Fp norm = add_non_residue_times(fp_zero(), fp_sqr(a.c1));
    Fp i = fp_inverse(fp_sub(fp_sqr(a.c0), norm));
    return Fq{fp_mul(a.c0, i), fp_neg(fp_mul(a.c1, i))};
}

#endif

// Elements in memory are their words. N is even, so they come in vectors of four or two.
#if FQ_WORDS % 4 == 0
#define VECTOR 4
typedef uint4 Vector;
#else
#define VECTOR 2
typedef uint2 Vector;
#endif

__device__ __forceinline__ Fq fq_load(const u32 *from) {
    Fq r;
    u32 *words = (u32 *)&r;
#pragma unroll
    for (int i = 0; i < FQ_WORDS / VECTOR; i++) {
        Vector v = ((const Vector *)from)[i];
        const u32 *parts = (const u32 *)&v;
#pragma unroll
        for (int j = 0; j < VECTOR; j++) words[VECTOR * i + j] = parts[j];
    }
    return r;
}

__device__ __forceinline__ void fq_store(u32 *to, const Fq &a) {
    const u32 *words = (const u32 *)&a;
#pragma unroll
    for (int i = 0; i < FQ_WORDS / VECTOR; i++) {
        Vector v;
        u32 *parts = (u32 *)&v;
#pragma unroll
        for (int j = 0; j < VECTOR; j++) parts[j] = words[VECTOR * i + j];
        ((Vector *)to)[i] = v;
    }
}

// Word by word, so that neither operand has to be in memory.
__device__ __forceinline__ Fq fq_select(bool first, const Fq &a, const Fq &b) {
    Fq r;
    const u32 *x = (const u32 *)&a, *y = (const u32 *)&b;
    u32 *w = (u32 *)&r;
#pragma unroll
    for (int i = 0; i < FQ_WORDS; i++) w[i] = first ? x[i] : y[i];
    return r;
}
