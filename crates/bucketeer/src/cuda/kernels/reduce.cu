// Stage 4, reduce, by window splitting: Σ i·Sᵢ over 2^bits buckets of a set.
//
// With i = hi·2^l + lo the sum is 2^l·Σ hi·(row sum of hi) + Σ lo·(column sum of lo), and for each
// of the two short lists Σ i·Xᵢ = Σ 2^j·(sum of the Xᵢ whose index has bit j). Everything is sums
// of elements of a list, which one kernel computes with trees.
#define COLD
#include "curve.cuh"
#include "interface.cuh"

// Which elements an output adds up is its mode.
// RUNS: out o: elements o·count + k
// COLUMNS: out (set, column): elements set·count·columns + k·columns + column
// BITS: out (set, bit): the elements of a set of 2·count whose index has the bit
//
// Each output is the sum of `pieces` results of `count / pieces` elements, by a group of `width`
// lanes each. Elements are sums, or bases if `affine` is set.
extern "C" __global__ void __launch_bounds__(REDUCE_BLOCK) sums(
    const u32 *from, u32 affine, u32 mode, u32 outputs, u32 count, u32 inner, u32 pieces, u32 width,
    u32 *out) {
    u32 lane = threadIdx.x & (width - 1);
    u64 group = ((u64)blockIdx.x * blockDim.x + threadIdx.x) / width;
    u64 o = group / pieces;
    u32 piece = group % pieces;
    Sum sum = sum_identity();
    if (o < outputs) {
        u64 outer = o / inner;
        u32 within = o % inner, share = (count + pieces - 1) / pieces, begin = piece * share;
        u32 end = begin + share < count ? begin + share : count;
        for (u32 k = begin + lane; k < end; k += width) {
            u64 index;
            if (mode == RUNS) index = o * count + k;
            else if (mode == COLUMNS) index = (outer * count + k) * inner + within;
            else index = outer * 2 * count + (((k >> within) << (within + 1)) | (1u << within) |
                                              (k & ((1u << within) - 1)));
            if (affine) sum_add_base(sum, base_load(from, index), false);
            else sum_add(sum, sum_load(from, index));
        }
    }
    sum_group(sum, width);
    if (o < outputs && lane == 0) sum_store(out, group, sum);
}
