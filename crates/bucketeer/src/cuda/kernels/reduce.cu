// Stage 4, reduce, by window splitting: Σ i·Sᵢ over 2^bits buckets of a set.
//
// With i = hi·2^l + lo the sum is 2^l·Σ hi·(row sum of hi) + Σ lo·(column sum of lo), and for each
// of the two short lists Σ i·Xᵢ = Σ 2^j·(sum of the Xᵢ whose index has bit j). Everything is sums
// of elements of a list, which one kernel computes with trees.
#define COLD
#include "interface.cuh"
#include "tree.cuh"

// Steps that do not depend on each other run in one launch, a range of blocks each.
//
// Which elements an output adds up is the mode of its step.
// RUNS: out o: elements o·count + k
// COLUMNS: out (set, column): elements set·count·columns + k·columns + column
// BITS: out (set, bit): the elements of a set of 2·count whose index has the bit
//
// Each output is the sum of `pieces` results of `count / pieces` elements, by a group of `width`
// lanes each. Elements are sums, or bases if `affine` is set.
extern "C" __global__ void __launch_bounds__(TREE_BLOCK) sums(SumSteps steps) {
    u32 own = 0;
    while (own + 1 < steps.count && blockIdx.x >= steps.steps[own + 1].first_block) own++;
    const SumStep &step = steps.steps[own];
    u32 width = step.width, count = step.count, inner = step.inner;
    u32 lane = threadIdx.x & (width - 1);
    u64 group = ((u64)(blockIdx.x - step.first_block) * blockDim.x + threadIdx.x) / width;
    u64 o = group / step.pieces;
    u32 piece = group % step.pieces;
    Sum sum = sum_identity();
    if (o < step.outputs) {
        u64 outer = o / inner;
        u32 within = o % inner, share = (count + step.pieces - 1) / step.pieces;
        u32 begin = piece * share, end = begin + share < count ? begin + share : count;
        for (u32 k = begin + lane; k < end; k += width) {
            u64 index;
            if (step.mode == RUNS) index = o * count + k;
            else if (step.mode == COLUMNS) index = (outer * count + k) * inner + within;
            else index = outer * 2 * count + (((k >> within) << (within + 1)) | (1u << within) |
                                              (k & ((1u << within) - 1)));
            // Most lanes have few elements, so the first one costs no addition.
            if (step.affine && k == begin + lane) sum = sum_of_base(base_load(step.from, index));
            else if (step.affine) sum_add_base(sum, base_load(step.from, index), false);
            else if (k == begin + lane) sum = sum_load(step.from, index);
            else sum_add(sum, sum_load(step.from, index));
        }
    }
    sum_wide_group(sum, width);
    if (o < step.outputs && lane == 0) sum_store(step.out, group, sum);
}
