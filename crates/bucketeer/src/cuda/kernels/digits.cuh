// Digits of biased integers, read when they are needed and never stored.
#pragma once
#include "interface.cuh"

// Calls visit(key, entry) for every digit of integer i that is not zero.
template <class Visit>
__device__ __forceinline__ void for_each_digit(const DigitReader &reader, u32 i, Visit visit) {
    const u32 *words = reader.words;
    const Digits &d = reader.digits;
    u32 segment = i / d.length;
    u32 base = segment * d.segment_stride + (i - segment * d.length);
    u32 negative = words[(u64)(d.word_count - 1) * d.stride + i] & NEGATIVE;
    for (u32 s = 0; s < d.pass_sets; s++) {
        u32 set = d.first_set + s;
        u32 key = (segment * d.set_stride + s) << d.bits;
        u32 copy = base;
        for (u32 window = set; window < d.windows; window += d.sets, copy += d.copy_stride) {
            u32 bit = window * d.window_bits, word = bit / 32, shift = bit % 32;
            u32 low = words[(u64)word * d.stride + i];
            u32 width = window == d.windows - 1 ? d.last_bits : d.window_bits;
            u32 high = shift + width > 32 ? words[(u64)(word + 1) * d.stride + i] : 0;
            u32 value = __funnelshift_r(low, high, shift) & ((1u << width) - 1);
            if (value == d.zero) continue;
            bool below = value < d.zero;
            u32 bucket = (below ? d.zero - value : value - d.zero) - 1;
            visit(key + bucket, copy | (negative ^ (below ? NEGATIVE : 0)));
        }
    }
}
