// −x² + y² = 1 + d·x²·y² in extended coordinates: x = X/Z, y = Y/Z, T = X·Y/Z. Formulas: Hisil,
// Wong, Carter, Dawson 2008. They are complete on the subgroup of odd prime order, and on the whole
// curve if d is not a square.
//
// The prelude defines, in Montgomery form, D2 = 2·d and what leads here from the curve's own
// coordinates: SCALE and, with FROM_WEIERSTRASS, MONTGOMERY_B and THIRD_OF_A.
#pragma once
#include "extension.cuh"

// A stored base: y − x, y + x and 2·d·x·y.
struct Base {
    Fq minus, plus, product;
};
#define BASE_FIELDS 3

// An accumulator.
struct Sum {
    Fq x, y, z, t;
};
#define SUM_FIELDS 4

// A function that returns a constant.
#define FQ_CONSTANT(name, words)                                   \
    __device__ __forceinline__ Fq name() {                         \
        Fq r;                                                      \
        u32 *w = (u32 *)&r;                                        \
        _Pragma("unroll") for (int i = 0; i < FQ_WORDS; i++) w[i] = words[i]; \
        return r;                                                  \
    }

FQ_CONSTANT(twice_d, D2)

__device__ __forceinline__ Base base_load(const u32 *table, u64 index) {
    const u32 *at = table + index * (BASE_FIELDS * FQ_WORDS);
    return Base{fq_load(at), fq_load(at + FQ_WORDS), fq_load(at + 2 * FQ_WORDS)};
}

__device__ __forceinline__ void base_store(u32 *table, u64 index, const Base &b) {
    u32 *at = table + index * (BASE_FIELDS * FQ_WORDS);
    fq_store(at, b.minus);
    fq_store(at + FQ_WORDS, b.plus);
    fq_store(at + 2 * FQ_WORDS, b.product);
}

__device__ __forceinline__ Base base_of_affine(const Fq &x, const Fq &y) {
    return Base{fq_sub(y, x), fq_add(y, x), fq_mul(fq_mul(x, y), twice_d())};
}

__device__ __forceinline__ Sum sum_identity() {
    return Sum{fq_zero(), fq_one(), fq_one(), fq_zero()};
}

// In memory, zeros are the identity too.
__device__ __forceinline__ Sum sum_load(const u32 *sums, u64 index) {
    const u32 *at = sums + index * (SUM_FIELDS * FQ_WORDS);
    Sum s = Sum{fq_load(at), fq_load(at + FQ_WORDS), fq_load(at + 2 * FQ_WORDS),
                fq_load(at + 3 * FQ_WORDS)};
    if (fq_is_zero(s.z)) return sum_identity();
    return s;
}

__device__ __forceinline__ void sum_store(u32 *sums, u64 index, const Sum &s) {
    u32 *at = sums + index * (SUM_FIELDS * FQ_WORDS);
    fq_store(at, s.x);
    fq_store(at + FQ_WORDS, s.y);
    fq_store(at + 2 * FQ_WORDS, s.z);
    fq_store(at + 3 * FQ_WORDS, s.t);
}

__device__ __forceinline__ bool sum_is_identity(const Sum &s) {
    return fq_is_zero(s.x) && fq_is_zero(fq_sub(s.y, s.z));
}

// The last half of every addition: 4M.
__device__ __forceinline__ void finish(Sum &p, const Fq &a, const Fq &b, const Fq &c, const Fq &d) {
    Fq e = fq_sub(b, a), f = fq_sub(d, c), g = fq_add(d, c), h = fq_add(b, a);
    p.x = fq_mul(e, f);
    p.y = fq_mul(g, h);
    p.z = fq_mul(f, g);
    p.t = fq_mul(e, h);
}

// 7M. The negative of a base has y − x and y + x exchanged and the opposite product.
__device__ __forceinline__ void sum_add_base(Sum &p, const Base &q, bool negative) {
    Fq a = fq_mul(fq_sub(p.y, p.x), fq_select(negative, q.plus, q.minus));
    Fq b = fq_mul(fq_add(p.y, p.x), fq_select(negative, q.minus, q.plus));
    Fq c = fq_mul(p.t, q.product);
    Fq d = fq_double(p.z);
    finish(p, a, b, fq_select(negative, fq_neg(c), c), d);
}

// 9M
__device__ __forceinline__ void sum_add(Sum &p, const Sum &q) {
    Fq a = fq_mul(fq_sub(p.y, p.x), fq_sub(q.y, q.x));
    Fq b = fq_mul(fq_add(p.y, p.x), fq_add(q.y, q.x));
    Fq c = fq_mul(fq_mul(p.t, q.t), twice_d());
    Fq d = fq_double(fq_mul(p.z, q.z));
    finish(p, a, b, c, d);
}

// 4M+4S
__device__ __forceinline__ Sum sum_double(const Sum &p) {
    Fq a = fq_sqr(p.x), b = fq_sqr(p.y), c = fq_double(fq_sqr(p.z));
    Fq e = fq_sub(fq_sub(fq_sqr(fq_add(p.x, p.y)), a), b);
    Fq g = fq_sub(b, a), f = fq_sub(g, c), h = fq_neg(fq_add(a, b));
    return Sum{fq_mul(e, f), fq_mul(g, h), fq_mul(f, g), fq_mul(e, h)};
}

// (y + x) and (y − x) give 2y and 2x: with Z = 2 the point is x = X/Z, y = Y/Z.
__device__ __forceinline__ Sum sum_of_base(const Base &b) {
    Fq x = fq_sub(b.plus, b.minus), y = fq_add(b.plus, b.minus), two = fq_double(fq_one());
    return Sum{fq_mul(x, two), fq_mul(y, two), fq_sqr(two), fq_mul(x, y)};
}

__device__ __forceinline__ Fq sum_denominator(const Sum &s) { return s.z; }

__device__ __forceinline__ Base base_of_sum(const Sum &s, const Fq &inverse) {
    return base_of_affine(fq_mul(s.x, inverse), fq_mul(s.y, inverse));
}
