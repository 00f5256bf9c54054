// Digits of biased integers, read when they are needed and never stored.
#pragma once
#include "words.cuh"

// What turns a digit into a key and an entry.
struct Digits {
    const u32 *words;   // biased integers, word-major
    u32 stride;         // distance of the words of an integer
    u32 count;          // integers: at most segments · length
    u32 length;         // integers of a segment
    u32 word_count;     // words of an integer
    u32 window_bits;
    u32 last_bits;      // bits of the last window
    u32 windows;
    u32 zero;           // value of the bits that stands for digit 0
    u32 sets;           // bucket sets in all
    u32 first_set;      // the first one of this pass
    u32 pass_sets;      // how many there are in this pass
    u32 set_stride;     // sets between two segments
    u32 bits;           // buckets of a set: 2^bits
    u32 copy_stride;    // points between two copies of a base
    u32 segment_stride; // bases between two segments
};

#define NEGATIVE 0x80000000u

// Calls visit(key, entry) for every digit of integer i that is not zero.
template <class Visit>
__device__ __forceinline__ void for_each_digit(const Digits &d, u32 i, Visit visit) {
    u32 segment = i / d.length;
    u32 base = segment * d.segment_stride + (i - segment * d.length);
    u32 negative = d.words[(u64)(d.word_count - 1) * d.stride + i] & NEGATIVE;
    for (u32 s = 0; s < d.pass_sets; s++) {
        u32 set = d.first_set + s;
        u32 key = (segment * d.set_stride + s) << d.bits;
        u32 copy = base;
        for (u32 window = set; window < d.windows; window += d.sets, copy += d.copy_stride) {
            u32 bit = window * d.window_bits, word = bit / 32, shift = bit % 32;
            u32 low = d.words[(u64)word * d.stride + i];
            u32 width = window == d.windows - 1 ? d.last_bits : d.window_bits;
            u32 high = shift + width > 32 ? d.words[(u64)(word + 1) * d.stride + i] : 0;
            u32 value = __funnelshift_r(low, high, shift) & ((1u << width) - 1);
            if (value == d.zero) continue;
            bool below = value < d.zero;
            u32 bucket = (below ? d.zero - value : value - d.zero) - 1;
            visit(key + bucket, copy | (negative ^ (below ? NEGATIVE : 0)));
        }
    }
}
