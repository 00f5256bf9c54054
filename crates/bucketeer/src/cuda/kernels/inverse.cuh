// 1/a in the prime field by Bernstein and Yang, "Fast constant-time gcd computation and modular
// inversion" (2019), in the variant that starts with δ = 1/2.
//
// A divstep takes (δ, f, g) with odd f to (1 − δ, g, (g − f)/2) if δ > 0 and g is odd, otherwise to
// (1 + δ, f, (g + (g mod 2)·f)/2). From f = p and g = a, g becomes 0 and f becomes ±1. Divsteps see
// the lowest bits only, so STEPS of them work on one word and yield a matrix (u v; q r) with
// 2^STEPS·(f', g') = (u·f + v·g, q·f + r·g) and |u| + |v|, |q| + |r| ≤ 2^STEPS, which is then
// applied to the whole numbers, and modulo p to d and e with d·a ≡ f·R² and e·a ≡ g·R². Every
// thread takes the same steps, so a warp does not diverge.
//
// Numbers are INVERSE_LIMBS limbs of STEPS bits; the last has a sign and the bits above. The
// prelude defines INVERSE_LIMBS, INVERSE_BATCHES, and in limbs P_LIMBS = p and START = R² mod p.
#pragma once
#include "field.cuh"

#define STEPS 30
#define LIMB_MASK ((1u << STEPS) - 1)

struct Limbs {
    int v[INVERSE_LIMBS];
};

struct Matrix {
    int u, v, q, r;
};

// STEPS divsteps on the lowest words of f and g; `zeta` is −(δ + 1/2).
__device__ __forceinline__ Matrix divsteps(int &zeta, u32 f, u32 g) {
    u32 u = 1, v = 0, q = 0, r = 1;
#pragma unroll 10
    for (int i = 0; i < STEPS; i++) {
        // All ones where δ > 0, where g is odd, and where both are.
        u32 positive = (u32)(zeta >> 31), odd = 0 - (g & 1), swap = positive & odd;
        // (g, q, r) ± (f, u, v) if g is odd; −x is (x ^ ones) − ones.
        g += ((f ^ positive) & odd) - swap;
        q += ((u ^ positive) & odd) - swap;
        r += ((v ^ positive) & odd) - swap;
        zeta = (int)((u32)zeta ^ swap) - 1;
        // f + (g − f) = g.
        f += g & swap;
        u += q & swap;
        v += r & swap;
        g >>= 1;
        u <<= 1;
        v <<= 1;
    }
    return Matrix{(int)u, (int)v, (int)q, (int)r};
}

// (f, g) = (u·f + v·g, q·f + r·g)/2^STEPS, which are integers. |f|, |g| ≤ p before and after.
__device__ __forceinline__ void apply(const Matrix &m, Limbs &f, Limbs &g) {
    i64 a = (i64)m.u * f.v[0] + (i64)m.v * g.v[0];
    i64 b = (i64)m.q * f.v[0] + (i64)m.r * g.v[0];
#pragma unroll
    for (int i = 1; i < INVERSE_LIMBS; i++) {
        a = (a >> STEPS) + (i64)m.u * f.v[i] + (i64)m.v * g.v[i];
        b = (b >> STEPS) + (i64)m.q * f.v[i] + (i64)m.r * g.v[i];
        f.v[i - 1] = (int)((u32)a & LIMB_MASK);
        g.v[i - 1] = (int)((u32)b & LIMB_MASK);
    }
    f.v[INVERSE_LIMBS - 1] = (int)(a >> STEPS);
    g.v[INVERSE_LIMBS - 1] = (int)(b >> STEPS);
}

// The multiple of p, between x − 2^STEPS and x, that clears the lowest limb of `low`.
__device__ __forceinline__ int clearing(int x, i64 low) {
    return x - (int)(((u32)x - P_INV * (u32)low) & LIMB_MASK);
}

// (d, e) = (u·d + v·e, q·d + r·e)/2^STEPS modulo p. −2p < d, e < p before and after: with p added
// to negative d and e the combinations are between −2^STEPS·p and 2^STEPS·p; then less than
// 2^STEPS·p is subtracted. Limbs of d and e are at most 2^31 in size and a row of the matrix 2^30;
// limbs of p are below 2^30 and its multiple at most 2^31: sums stay below 2^63.
__device__ __forceinline__ void apply_modulo_p(const Matrix &m, Limbs &d, Limbs &e) {
    int d_sign = d.v[INVERSE_LIMBS - 1] >> 31, e_sign = e.v[INVERSE_LIMBS - 1] >> 31;
    i64 a = (i64)m.u * d.v[0] + (i64)m.v * e.v[0];
    i64 b = (i64)m.q * d.v[0] + (i64)m.r * e.v[0];
    int p_in_a = clearing((m.u & d_sign) + (m.v & e_sign), a);
    int p_in_b = clearing((m.q & d_sign) + (m.r & e_sign), b);
    a += (i64)P_LIMBS[0] * p_in_a;
    b += (i64)P_LIMBS[0] * p_in_b;
#pragma unroll
    for (int i = 1; i < INVERSE_LIMBS; i++) {
        a = (a >> STEPS) + (i64)m.u * d.v[i] + (i64)m.v * e.v[i] + (i64)P_LIMBS[i] * p_in_a;
        b = (b >> STEPS) + (i64)m.q * d.v[i] + (i64)m.r * e.v[i] + (i64)P_LIMBS[i] * p_in_b;
        d.v[i - 1] = (int)((u32)a & LIMB_MASK);
        e.v[i - 1] = (int)((u32)b & LIMB_MASK);
    }
    d.v[INVERSE_LIMBS - 1] = (int)(a >> STEPS);
    e.v[INVERSE_LIMBS - 1] = (int)(b >> STEPS);
}

// x + p if x is negative, then the opposite if `negative` is all ones.
__device__ __forceinline__ void raise(Limbs &x, int negative) {
    int sign = x.v[INVERSE_LIMBS - 1] >> 31, carry = 0;
#pragma unroll
    for (int i = 0; i < INVERSE_LIMBS; i++) {
        int sum = ((x.v[i] + (P_LIMBS[i] & sign)) ^ negative) - negative + carry;
        carry = sum >> STEPS;
        x.v[i] = i + 1 < INVERSE_LIMBS ? (int)((u32)sum & LIMB_MASK) : sum;
    }
}

// 1/a; 0 for 0.
__device__ __noinline__ Fp fp_inverse(Fp a) {
    Limbs f, g, d, e;
#pragma unroll
    for (int i = 0; i < INVERSE_LIMBS; i++) {
        int word = STEPS * i / 32, bit = STEPS * i % 32;
        u32 next = word + 1 < N ? a.w[word + 1] : 0;
        u64 bits = ((u64)next << 32 | a.w[word]) >> bit;
        g.v[i] = (int)((u32)bits & LIMB_MASK);
        f.v[i] = P_LIMBS[i];
        d.v[i] = 0;
        e.v[i] = START[i];
    }
    int zeta = -1;
#pragma unroll 1
    for (int batch = 0; batch < INVERSE_BATCHES; batch++) {
        u32 f_low = (u32)f.v[0] | (u32)f.v[1] << STEPS, g_low = (u32)g.v[0] | (u32)g.v[1] << STEPS;
        Matrix m = divsteps(zeta, f_low, g_low);
        apply_modulo_p(m, d, e);
        apply(m, f, g);
    }
    // −2p < d < p, and d·f is the inverse: −p < d < p after the first, 0 ≤ d < p after the second.
    raise(d, f.v[INVERSE_LIMBS - 1] >> 31);
    raise(d, 0);
    Fp r;
#pragma unroll
    for (int i = 0; i < N; i++) {
        // `bit` is even, so a word is in two limbs.
        int limb = 32 * i / STEPS, bit = 32 * i % STEPS;
        u64 bits = limb < INVERSE_LIMBS ? (u32)d.v[limb] : 0;
        if (limb + 1 < INVERSE_LIMBS) bits |= (u64)(u32)d.v[limb + 1] << STEPS;
        r.w[i] = (u32)(bits >> bit);
    }
    return r;
}
