// Stage 2, group: digits → for each bucket the list of its bases.
//
// A key is a bucket: (segment · set stride + set) · 2^bits + bucket. Keys are cut into bins of 2^low.
// Sort:  count the entries of every bin · scan the bins · move entries to their bins · in each bin count,
//        scan and scatter by the low bits. Blocks count in shared memory and reserve room for all their
//        entries of a bin or bucket at once.
// Csr:   count the entries of every bucket · scan · scatter, with one atomic operation per entry.
#include "words.cuh"

// What turns a digit into a key and an entry.
struct Digits {
    const u32 *words;   // biased integers, word-major
    u32 stride;         // distance of the words of an integer
    u32 count;          // integers: at most segments · length
    u32 length;         // integers of a segment
    u32 word_count;     // words of an integer
    u32 window_bits;
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
    u32 mask = (1u << d.window_bits) - 1;
    for (u32 s = 0; s < d.pass_sets; s++) {
        u32 set = d.first_set + s;
        u32 key = (segment * d.set_stride + s) << d.bits;
        u32 copy = base;
        for (u32 window = set; window < d.windows; window += d.sets, copy += d.copy_stride) {
            u32 bit = window * d.window_bits, word = bit / 32, shift = bit % 32;
            u32 low = d.words[(u64)word * d.stride + i];
            u32 high = shift + d.window_bits > 32 ? d.words[(u64)(word + 1) * d.stride + i] : 0;
            u32 value = __funnelshift_r(low, high, shift) & mask;
            if (value == d.zero) continue;
            bool below = value < d.zero;
            u32 bucket = (below ? d.zero - value : value - d.zero) - 1;
            visit(key + bucket, copy | (negative ^ (below ? NEGATIVE : 0)));
        }
    }
}

// Entries on their way through the bins: the low bits of the key above the entry.
__device__ __forceinline__ u64 pack(u32 key, u32 entry, u32 low) {
    return (u64)(key & ((1u << low) - 1)) << 32 | entry;
}

extern __shared__ u32 counters[];

__device__ __forceinline__ void clear_counters(u32 length) {
    for (u32 j = threadIdx.x; j < length; j += blockDim.x) counters[j] = 0;
    __syncthreads();
}

// Replaces each counter by the first of as many places reserved in `cursors`.
__device__ __forceinline__ void reserve(u32 *cursors, u32 length) {
    __syncthreads();
    for (u32 j = threadIdx.x; j < length; j += blockDim.x)
        if (counters[j]) counters[j] = atomicAdd(cursors + j, counters[j]);
    __syncthreads();
}

extern "C" __global__ void count_bins(Digits d, u32 low, u32 bins, u32 *bin_counts) {
    clear_counters(bins);
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < d.count; i += gridDim.x * blockDim.x)
        for_each_digit(d, i, [&](u32 key, u32) { atomicAdd(counters + (key >> low), 1); });
    __syncthreads();
    for (u32 j = threadIdx.x; j < bins; j += blockDim.x)
        if (counters[j]) atomicAdd(bin_counts + j, counters[j]);
}

// Exclusive scan of one value per thread over the block; `total` is the sum. `scratch` holds 33 words.
__device__ __forceinline__ u32 block_scan(u32 value, u32 *scratch, u32 &total) {
    u32 lane = threadIdx.x & 31, warp = threadIdx.x >> 5, inclusive = value;
#pragma unroll
    for (u32 d = 1; d < 32; d *= 2) {
        u32 before = __shfl_up_sync(0xffffffffu, inclusive, d);
        if (lane >= d) inclusive += before;
    }
    if (lane == 31) scratch[warp] = inclusive;
    __syncthreads();
    if (warp == 0) {
        u32 sum = lane < blockDim.x / 32 ? scratch[lane] : 0, own = sum;
#pragma unroll
        for (u32 d = 1; d < 32; d *= 2) {
            u32 before = __shfl_up_sync(0xffffffffu, sum, d);
            if (lane >= d) sum += before;
        }
        scratch[lane] = sum - own;
        if (lane == 31) scratch[32] = sum;
    }
    __syncthreads();
    total = scratch[32];
    u32 result = scratch[warp] + inclusive - value;
    __syncthreads();
    return result;
}

// One block: where each bin starts, how many tiles of entries precede it, and the bins' cursors.
extern "C" __global__ void scan_bins(u32 *bin_counts, u32 bins, u32 tile, u32 *bin_starts, u32 *tile_starts) {
    __shared__ u32 scratch[33];
    u32 entries = 0, tiles = 0;
    for (u32 first = 0; first < bins; first += blockDim.x) {
        u32 j = first + threadIdx.x, total;
        u32 count = j < bins ? bin_counts[j] : 0;
        u32 start = entries + block_scan(count, scratch, total);
        entries += total;
        u32 tile_start = tiles + block_scan((count + tile - 1) / tile, scratch, total);
        tiles += total;
        if (j < bins) {
            bin_starts[j] = start;
            bin_counts[j] = start;
            tile_starts[j] = tile_start;
        }
    }
    if (threadIdx.x == 0) {
        bin_starts[bins] = entries;
        tile_starts[bins] = tiles;
    }
}

extern "C" __global__ void scatter_bins(Digits d, u32 low, u32 bins, u32 per_block, u32 *bin_cursors,
                                        u64 *out) {
    clear_counters(bins);
    u64 first = (u64)blockIdx.x * per_block;
    u32 end = first + per_block < d.count ? first + per_block : d.count;
    for (u32 i = first + threadIdx.x; i < end; i += blockDim.x)
        for_each_digit(d, i, [&](u32 key, u32) { atomicAdd(counters + (key >> low), 1); });
    reserve(bin_cursors, bins);
    for (u32 i = first + threadIdx.x; i < end; i += blockDim.x)
        for_each_digit(d, i, [&](u32 key, u32 entry) {
            out[atomicAdd(counters + (key >> low), 1)] = pack(key, entry, low);
        });
}

// The entries of this block's tile and their bin; false if there is no such tile.
struct Tile {
    u32 bin, first, end;
};

__device__ __forceinline__ bool find_tile(const u32 *bin_starts, const u32 *tile_starts, u32 bins, u32 tile,
                                          Tile &t) {
    if (blockIdx.x >= tile_starts[bins]) return false;
    u32 lo = 0, hi = bins;
    while (hi - lo > 1) {
        u32 middle = (lo + hi) / 2;
        if (tile_starts[middle] <= blockIdx.x) lo = middle;
        else hi = middle;
    }
    t.bin = lo;
    t.first = bin_starts[lo] + (blockIdx.x - tile_starts[lo]) * tile;
    u32 end = bin_starts[lo + 1];
    t.end = end - t.first > tile ? t.first + tile : end;
    return true;
}

extern "C" __global__ void count_buckets(const u64 *in, const u32 *bin_starts, const u32 *tile_starts,
                                         u32 bins, u32 tile, u32 low, u32 *counts) {
    Tile t;
    if (!find_tile(bin_starts, tile_starts, bins, tile, t)) return;
    clear_counters(1u << low);
    for (u32 i = t.first + threadIdx.x; i < t.end; i += blockDim.x)
        atomicAdd(counters + (u32)(in[i] >> 32), 1);
    __syncthreads();
    u32 *own = counts + ((u64)t.bin << low);
    for (u32 j = threadIdx.x; j < 1u << low; j += blockDim.x)
        if (counters[j]) atomicAdd(own + j, counters[j]);
}

extern "C" __global__ void scatter_buckets(const u64 *in, const u32 *bin_starts, const u32 *tile_starts,
                                           u32 bins, u32 tile, u32 low, u32 *cursors, u32 *entries) {
    Tile t;
    if (!find_tile(bin_starts, tile_starts, bins, tile, t)) return;
    clear_counters(1u << low);
    for (u32 i = t.first + threadIdx.x; i < t.end; i += blockDim.x)
        atomicAdd(counters + (u32)(in[i] >> 32), 1);
    reserve(cursors + ((u64)t.bin << low), 1u << low);
    for (u32 i = t.first + threadIdx.x; i < t.end; i += blockDim.x) {
        u64 packed = in[i];
        entries[atomicAdd(counters + (u32)(packed >> 32), 1)] = (u32)packed;
    }
}

// One block per bin: where each bucket's list starts. The counts become the buckets' cursors.
extern "C" __global__ void scan_buckets(u32 *counts, u32 low, const u32 *bin_starts, u32 *starts) {
    __shared__ u32 scratch[33];
    u64 first_key = (u64)blockIdx.x << low;
    u32 sum = bin_starts[blockIdx.x];
    for (u32 first = 0; first < 1u << low; first += blockDim.x) {
        u32 j = first + threadIdx.x, total;
        u32 count = j < 1u << low ? counts[first_key + j] : 0;
        u32 start = sum + block_scan(count, scratch, total);
        sum += total;
        if (j < 1u << low) {
            starts[first_key + j] = start;
            counts[first_key + j] = start;
        }
    }
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) starts[(u64)gridDim.x << low] = sum;
}

// Csr: entries of every bucket.
extern "C" __global__ void count_keys(Digits d, u32 *counts) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < d.count) for_each_digit(d, i, [&](u32 key, u32) { atomicAdd(counts + key, 1); });
}

// Csr: one block per bin adds up its buckets' counts.
extern "C" __global__ void total_bins(const u32 *counts, u32 low, u32 *bin_counts) {
    __shared__ u32 scratch[33];
    u32 sum = 0, total;
    for (u32 j = threadIdx.x; j < 1u << low; j += blockDim.x)
        sum += counts[((u64)blockIdx.x << low) + j];
    block_scan(sum, scratch, total);
    if (threadIdx.x == 0) bin_counts[blockIdx.x] = total;
}

extern "C" __global__ void scatter_keys(Digits d, u32 *cursors, u32 *entries) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < d.count)
        for_each_digit(d, i, [&](u32 key, u32 entry) { entries[atomicAdd(cursors + key, 1)] = entry; });
}
