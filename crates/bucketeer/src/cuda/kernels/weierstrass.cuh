// y² = x³ + a·x + b in XYZZ coordinates: x = X/ZZ, y = Y/ZZZ, ZZ³ = ZZZ², ZZ = 0 at infinity.
// Formulas: EFD shortw/xyzz. All additions are complete.
//
// The prelude defines A_IS_ZERO and, where it is not, the words A of the coefficient in Montgomery
// form.
#pragma once
#include "extension.cuh"

// A stored base: x and y; infinity is all ones, which no reduced coordinate is.
struct Base {
    Fq x, y;
};
#define BASE_FIELDS 2

// An accumulator.
struct Sum {
    Fq x, y, zz, zzz;
};
#define SUM_FIELDS 4

__device__ __forceinline__ Base base_load(const u32 *table, u64 index) {
    const u32 *at = table + index * (BASE_FIELDS * FQ_WORDS);
    return Base{fq_load(at), fq_load(at + FQ_WORDS)};
}

__device__ __forceinline__ void base_store(u32 *table, u64 index, const Base &b) {
    u32 *at = table + index * (BASE_FIELDS * FQ_WORDS);
    fq_store(at, b.x);
    fq_store(at + FQ_WORDS, b.y);
}

__device__ __forceinline__ bool base_is_infinity(const Base &b) {
    const u32 *w = (const u32 *)&b.x;
    u32 all = w[0];
#pragma unroll
    for (int i = 1; i < FQ_WORDS; i++) all &= w[i];
    return all == 0xffffffffu;
}

__device__ __forceinline__ Base base_infinity() {
    Base b;
    u32 *w = (u32 *)&b;
#pragma unroll
    for (int i = 0; i < BASE_FIELDS * FQ_WORDS; i++) w[i] = 0xffffffffu;
    return b;
}

__device__ __forceinline__ Sum sum_identity() {
    return Sum{fq_zero(), fq_zero(), fq_zero(), fq_zero()};
}

__device__ __forceinline__ bool sum_is_identity(const Sum &s) { return fq_is_zero(s.zz); }

// In memory, zeros are the identity.
__device__ __forceinline__ Sum sum_load(const u32 *sums, u64 index) {
    const u32 *at = sums + index * (SUM_FIELDS * FQ_WORDS);
    return Sum{fq_load(at), fq_load(at + FQ_WORDS), fq_load(at + 2 * FQ_WORDS),
               fq_load(at + 3 * FQ_WORDS)};
}

__device__ __forceinline__ void sum_store(u32 *sums, u64 index, const Sum &s) {
    u32 *at = sums + index * (SUM_FIELDS * FQ_WORDS);
    fq_store(at, s.x);
    fq_store(at + FQ_WORDS, s.y);
    fq_store(at + 2 * FQ_WORDS, s.zz);
    fq_store(at + 3 * FQ_WORDS, s.zzz);
}

__device__ __forceinline__ Sum sum_of_base(const Base &b) {
    if (base_is_infinity(b)) return sum_identity();
    return Sum{b.x, b.y, fq_one(), fq_one()};
}

#if !A_IS_ZERO
__device__ __forceinline__ Fq curve_a() {
    Fq r;
    u32 *w = (u32 *)&r;
#pragma unroll
    for (int i = 0; i < FQ_WORDS; i++) w[i] = A[i];
    return r;
}
#endif

// dbl-2008-s-1, 6M+4S
__device__ __forceinline__ Sum sum_double(const Sum &p) {
    Fq u = fq_double(p.y);
    Fq v = fq_sqr(u);
    Fq w = fq_mul(u, v);
    Fq s = fq_mul(p.x, v);
    Fq square = fq_sqr(p.x);
    Fq m = fq_add(fq_double(square), square);
#if !A_IS_ZERO
    m = fq_add(m, fq_mul(curve_a(), fq_sqr(p.zz)));
#endif
    Fq x = fq_sub(fq_sqr(m), fq_double(s));
    Fq y = fq_mul_sub(m, fq_sub(s, x), w, p.y);
    return Sum{x, y, fq_mul(v, p.zz), fq_mul(w, p.zzz)};
}

__device__ __noinline__ void double_in_memory(Sum *p) { *p = sum_double(*p); }

// The sum of two points whose x coordinates agree: a doubling, or infinity. This is rare, so it
// goes through memory and leaves the registers of the common case alone.
__device__ __forceinline__ Sum sum_of_equal_x(const Sum &p, bool same_y) {
    if (!same_y) return sum_identity();
    Sum copy = p;
    double_in_memory(&copy);
    return copy;
}

// madd-2008-s, 8M+2S
__device__ __forceinline__ void sum_add_base(Sum &p, const Base &b, bool negative) {
    if (base_is_infinity(b)) return;
    Fq by = fq_select(negative, fq_neg(b.y), b.y);
    if (fq_is_zero(p.zz)) {
        p = Sum{b.x, by, fq_one(), fq_one()};
        return;
    }
    Fq d = fq_sub(fq_mul(b.x, p.zz), p.x);
    Fq r = fq_sub(fq_mul(by, p.zzz), p.y);
    if (fq_is_zero(d)) {
        p = sum_of_equal_x(Sum{b.x, by, fq_one(), fq_one()}, fq_is_zero(r));
        return;
    }
    // In this order 8 and 12 words keep to the registers of accumulate.
    Fq dd = fq_sqr(d);
    Fq q = fq_mul(p.x, dd);
    Fq ddd = fq_mul(d, dd);
    p.x = fq_sub(fq_sub(fq_sqr(r), ddd), fq_double(q));
    p.y = fq_mul_sub(r, fq_sub(q, p.x), p.y, ddd);
    p.zz = fq_mul(p.zz, dd);
    p.zzz = fq_mul(p.zzz, ddd);
}

// add-2008-s, 12M+2S
__device__ __forceinline__ void sum_add(Sum &p, const Sum &b) {
    if (fq_is_zero(b.zz)) return;
    if (fq_is_zero(p.zz)) {
        p = b;
        return;
    }
    Fq u1 = fq_mul(p.x, b.zz);
    Fq d = fq_sub(fq_mul(b.x, p.zz), u1);
    Fq s1 = fq_mul(p.y, b.zzz);
    Fq r = fq_sub(fq_mul(b.y, p.zzz), s1);
    if (fq_is_zero(d)) {
        p = sum_of_equal_x(b, fq_is_zero(r));
        return;
    }
    Fq dd = fq_sqr(d);
    p.zz = fq_mul(fq_mul(p.zz, b.zz), dd);
    Fq q = fq_mul(u1, dd);
    Fq ddd = fq_mul(d, dd);
    p.zzz = fq_mul(fq_mul(p.zzz, b.zzz), ddd);
    p.x = fq_sub(fq_sub(fq_sqr(r), ddd), fq_double(q));
    p.y = fq_mul_sub(r, fq_sub(q, p.x), s1, ddd);
}

// What divides a sum's coordinates when it becomes a base; never zero.
__device__ __forceinline__ Fq sum_denominator(const Sum &s) {
    return fq_is_zero(s.zz) ? fq_one() : s.zzz;
}

// The base equal to a sum, given 1/sum_denominator.
__device__ __forceinline__ Base base_of_sum(const Sum &s, const Fq &inverse) {
    if (fq_is_zero(s.zz)) return base_infinity();
    // 1/ZZ = ZZ²/ZZ³ = (ZZ/ZZZ)².
    return Base{fq_mul(s.x, fq_sqr(fq_mul(s.zz, inverse))), fq_mul(s.y, inverse)};
}
