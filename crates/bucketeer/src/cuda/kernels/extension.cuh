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

// Karatsuba: three products.
__device__ __forceinline__ Fq fq_mul_inline(const Fq &a, const Fq &b) {
    Fp sum = fp_mul(fp_add(a.c0, a.c1), fp_add(b.c0, b.c1));
    Fp v0 = fp_mul(a.c0, b.c0);
    Fp v1 = fp_mul(a.c1, b.c1);
    return Fq{add_non_residue_times(v0, v1), fp_sub(fp_sub(sum, v0), v1)};
}

__device__ __forceinline__ Fq fq_mul(const Fq &a, const Fq &b) { return fq_mul_inline(a, b); }

__device__ __forceinline__ Fq fq_sqr(const Fq &a) {
    Fp v = fp_mul(a.c0, a.c1);
    Fp s0 = fp_sqr(a.c0), s1 = fp_sqr(a.c1);
    return Fq{add_non_residue_times(s0, s1), fp_double(v)};
}

__device__ __forceinline__ Fq fq_mul_sub(const Fq &a, const Fq &b, const Fq &c, const Fq &d) {
    return fq_sub(fq_mul(a, b), fq_mul(c, d));
}

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
