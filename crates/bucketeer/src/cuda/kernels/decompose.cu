// Stage 1, decompose: scalars → biased integers, from which each window reads its digit.
//
// Word w of integer i goes to out[w·stride + i], the integer's sign into the top bit of its last
// word. The prelude defines SCALAR_WORDS, ORDER_INV (−r⁻¹ mod 2^32) and the constants ORDER (r)
// and HALF_ORDER.
#include "interface.cuh"

// k·2^(−32·SCALAR_WORDS) mod r, for k below r.
__device__ __forceinline__ void from_montgomery(u32 *k) {
#pragma unroll
    for (int step = 0; step < SCALAR_WORDS; step++) {
        u32 m = k[0] * ORDER_INV;
        u64 carry = ((u64)m * ORDER[0] + k[0]) >> 32;
#pragma unroll
        for (int j = 1; j < SCALAR_WORDS; j++) {
            carry += (u64)m * ORDER[j] + k[j];
            k[j - 1] = (u32)carry;
            carry >>= 32;
        }
        k[SCALAR_WORDS - 1] = (u32)carry;
    }
}

__device__ __forceinline__ bool below_order(const u32 *k) {
    sub_cc(k[0], ORDER[0]);
#pragma unroll
    for (int j = 1; j < SCALAR_WORDS; j++) subc_cc(k[j], ORDER[j]);
    return subc(0, 0) & 1;
}

// Residues, in Montgomery form or as integers. Those above r/2 become the negatives of r − k if
// `negate` is set. The caller's index `first` comes first; `too_large` receives the smallest index
// of an integer that is not below r.
extern "C" __global__ void decompose_residues(
    const u32 *raw, u32 count, u32 *out, u64 stride, u32 words, u32 montgomery, u32 negate,
    Bias bias, u32 first, u32 *too_large) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    u32 k[SCALAR_WORDS];
#pragma unroll
    for (int j = 0; j < SCALAR_WORDS; j++) k[j] = raw[(u64)i * SCALAR_WORDS + j];
    if (montgomery) {
        from_montgomery(k);
    } else if (!below_order(k)) {
        atomicMin(too_large, first + i);
    }
    u32 negative = 0;
    if (negate) {
        sub_cc(HALF_ORDER[0], k[0]);
#pragma unroll
        for (int j = 1; j < SCALAR_WORDS; j++) subc_cc(HALF_ORDER[j], k[j]);
        negative = subc(0, 0) & 1;
    }
    if (negative) {
        k[0] = sub_cc(ORDER[0], k[0]);
#pragma unroll
        for (int j = 1; j < SCALAR_WORDS; j++) k[j] = subc_cc(ORDER[j], k[j]);
    }
    u64 carry = 0;
    for (u32 j = 0; j < words; j++) {
        u32 word = 0;
#pragma unroll
        for (int at = 0; at < SCALAR_WORDS; at++) word = at == j ? k[at] : word;
        carry += (u64)word + bias.words[j];
        u32 result = (u32)carry;
        carry >>= 32;
        if (j == words - 1) result |= negative << 31;
        out[j * stride + i] = result;
    }
}

// Integers of `bytes` bytes each, of which the caller's index `first` comes first; in two's
// complement if `is_signed` is set. `too_large` receives the smallest index of one that does not
// fit `bits` bits beside its sign. The complement of a negative integer is |k| − 1; the missing one
// enters the sum with the bias as a carry.
extern "C" __global__ void decompose_integers(
    const unsigned char *raw, u32 bytes, u32 bits, u32 is_signed, u32 count, u32 *out, u64 stride,
    u32 words, Bias bias, u32 first, u32 *too_large) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const unsigned char *at = raw + (u64)i * bytes;
    u32 negative = is_signed ? at[bytes - 1] >> 7 : 0;
    u32 complement = bytes >= 4 ? 0 - negative : (0 - negative) & ((1u << 8 * bytes) - 1);
    u64 carry = negative;
    bool fits = true;
    u32 last = (bytes + 3) / 4 > words ? (bytes + 3) / 4 : words;
    for (u32 j = 0; j < last; j++) {
        u32 word = 0;
        if (4 * j < bytes) {
            word = bytes >= 4   ? ((const u32 *)at)[j]
                   : bytes == 1 ? at[0]
                                : *(const unsigned short *)at;
            word ^= complement;
        }
        u32 allowed = bits >= 32 * (j + 1) ? 0xffffffffu
                      : bits <= 32 * j     ? 0
                                           : (1u << (bits - 32 * j)) - 1;
        fits = fits && (word & ~allowed) == 0;
        if (j < words) {
            carry += (u64)word + bias.words[j];
            u32 result = (u32)carry;
            carry >>= 32;
            if (j == words - 1) result |= negative << 31;
            out[j * stride + i] = result;
        }
    }
    if (!fits) atomicMin(too_large, first + i);
}
