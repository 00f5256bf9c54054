// Stage 2, group: digits → for each bucket the list of its bases.
//
// A key is a bucket: (segment · set stride + set) · 2^bits + bucket. Keys are cut into bins of
// 2^low.
//
// Sort: count the entries of every bin, scan the bins, move entries to their bins; in each bin
// count, scan and scatter by the low bits. A block sorts its tile of entries in shared memory
// before it writes them, since a memory sector written in part takes several times as long as a
// whole one.
//
// Csr: count the entries of every bucket, scan, scatter, with one atomic operation per entry.
#include "digits.cuh"

extern __shared__ __align__(16) u32 counters[];

__device__ __forceinline__ void clear_counters(u32 length) {
    for (u32 j = threadIdx.x; j < length; j += blockDim.x) counters[j] = 0;
    __syncthreads();
}

extern "C" __global__ void count_bins(DigitReader reader, u32 low, u32 bins, u32 *bin_counts) {
    clear_counters(bins);
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < reader.digits.count; i += gridDim.x * blockDim.x)
        for_each_digit(reader, i, [&](u32 key, u32) { atomicAdd(counters + (key >> low), 1); });
    __syncthreads();
    for (u32 j = threadIdx.x; j < bins; j += blockDim.x)
        if (counters[j]) atomicAdd(bin_counts + j, counters[j]);
}

// Exclusive scan of one value per thread over the block; `total` is the sum. `scratch` holds 33
// words.
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
extern "C" __global__ void __launch_bounds__(TILE_BLOCK) scan_bins(
    u32 *bin_counts, u32 bins, u32 tile, u32 *bin_starts, u32 *tile_starts) {
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

// After counting: replaces each counter by the place of its first entry in the tile, and puts into
// `shifts` what leads from a place in the tile to the place reserved for it through `cursors`.
// Returns the entries.
__device__ __forceinline__ u32 place_in_tile(u32 length, u32 *shifts, u32 *cursors, u32 *scratch) {
    __syncthreads();
    u32 each = (length + blockDim.x - 1) / blockDim.x;
    u32 first = threadIdx.x * each, end = first + each < length ? first + each : length;
    u32 sum = 0, total;
    for (u32 j = first; j < end; j++) sum += counters[j];
    u32 start = block_scan(sum, scratch, total);
    for (u32 j = first; j < end; j++) {
        u32 count = counters[j];
        counters[j] = start;
        if (count) shifts[j] = atomicAdd(cursors + j, count) - start;
        start += count;
    }
    __syncthreads();
    return total;
}

// Shared memory: counters and shifts of the bins, then the tile. Entries travel with their key
// above them.
extern "C" __global__ void __launch_bounds__(TILE_BLOCK) scatter_bins(
    DigitReader reader, u32 low, u32 bins, u32 per_block, u32 *bin_cursors, u64 *out) {
    __shared__ u32 scratch[33];
    u32 *shifts = counters + bins;
    u64 *tile = (u64 *)(counters + 2 * bins);
    clear_counters(bins);
    u64 first = (u64)blockIdx.x * per_block;
    u32 end = first + per_block < reader.digits.count ? first + per_block : reader.digits.count;
    for (u32 i = first + threadIdx.x; i < end; i += blockDim.x)
        for_each_digit(reader, i, [&](u32 key, u32) { atomicAdd(counters + (key >> low), 1); });
    u32 total = place_in_tile(bins, shifts, bin_cursors, scratch);
    for (u32 i = first + threadIdx.x; i < end; i += blockDim.x)
        for_each_digit(reader, i, [&](u32 key, u32 entry) {
            tile[atomicAdd(counters + (key >> low), 1)] = (u64)key << 32 | entry;
        });
    __syncthreads();
    for (u32 i = threadIdx.x; i < total; i += blockDim.x) {
        u64 packed = tile[i];
        out[shifts[(u32)(packed >> 32) >> low] + i] = packed;
    }
}

// The entries of this block's tile and their bin; false if there is no such tile.
struct Tile {
    u32 bin, first, end;
};

__device__ __forceinline__ bool find_tile(const u32 *bin_starts, const u32 *tile_starts, u32 bins,
                                          u32 tile, Tile &t) {
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

extern "C" __global__ void count_buckets(
    const u64 *binned, const u32 *bin_starts, const u32 *tile_starts, u32 bins, u32 tile, u32 low,
    u32 *counts) {
    Tile t;
    if (!find_tile(bin_starts, tile_starts, bins, tile, t)) return;
    clear_counters(1u << low);
    u32 mask = (1u << low) - 1;
    for (u32 i = t.first + threadIdx.x; i < t.end; i += blockDim.x)
        atomicAdd(counters + ((u32)(binned[i] >> 32) & mask), 1);
    __syncthreads();
    u32 *own = counts + ((u64)t.bin << low);
    for (u32 j = threadIdx.x; j < 1u << low; j += blockDim.x)
        if (counters[j]) atomicAdd(own + j, counters[j]);
}

// Shared memory: counters and shifts of the bin's buckets, the tile's entries, and their buckets.
extern "C" __global__ void __launch_bounds__(TILE_BLOCK) scatter_buckets(
    const u64 *binned, const u32 *bin_starts, const u32 *tile_starts, u32 bins, u32 tile, u32 low,
    u32 *cursors, u32 *out) {
    __shared__ u32 scratch[33];
    Tile t;
    if (!find_tile(bin_starts, tile_starts, bins, tile, t)) return;
    u32 buckets = 1u << low, mask = buckets - 1;
    u32 *shifts = counters + buckets, *entries = shifts + buckets;
    unsigned short *keys = (unsigned short *)(entries + tile);
    clear_counters(buckets);
    for (u32 i = t.first + threadIdx.x; i < t.end; i += blockDim.x)
        atomicAdd(counters + ((u32)(binned[i] >> 32) & mask), 1);
    u32 total = place_in_tile(buckets, shifts, cursors + ((u64)t.bin << low), scratch);
    for (u32 i = t.first + threadIdx.x; i < t.end; i += blockDim.x) {
        u64 packed = binned[i];
        u32 key = (u32)(packed >> 32) & mask, at = atomicAdd(counters + key, 1);
        entries[at] = (u32)packed;
        keys[at] = key;
    }
    __syncthreads();
    for (u32 i = threadIdx.x; i < total; i += blockDim.x) out[shifts[keys[i]] + i] = entries[i];
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
extern "C" __global__ void count_keys(DigitReader reader, u32 *counts) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < reader.digits.count)
        for_each_digit(reader, i, [&](u32 key, u32) { atomicAdd(counts + key, 1); });
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

extern "C" __global__ void scatter_keys(DigitReader reader, u32 *cursors, u32 *entries) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < reader.digits.count)
        for_each_digit(reader, i, [&](u32 key, u32 entry) {
            entries[atomicAdd(cursors + key, 1)] = entry;
        });
}
