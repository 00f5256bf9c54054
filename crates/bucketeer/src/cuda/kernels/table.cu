// Bases: into their stored form, and their shifted copies.
#define COLD
#include "curve.cuh"

#if EDWARDS
// Affine coordinates to stored bases.
extern "C" __global__ void import_bases(const u32 *raw, u32 count, u32 *table, u64 first) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const u32 *at = raw + (u64)i * 2 * FQ_WORDS;
    base_store(table, first + i, base_of_affine(fq_load(at), fq_load(at + FQ_WORDS)));
}
#endif

// The shifted copies of some bases: table[copy·stride + first + i] = 2^(copy·doublings) · table[first + i].
// Each thread shares one inversion among all copies of its bases; `scratch` holds a sum and a field element
// for each copy.
extern "C" __global__ void __launch_bounds__(128)
    shift_bases(u32 *table, u64 first, u64 stride, u32 count, u32 copies, u32 doublings, u32 *scratch) {
    u32 thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    if (thread >= count) return;
    u32 *products = scratch + (u64)count * (copies - 1) * SUM_FIELDS * FQ_WORDS;
    Fq product = fq_one();
    u32 i = thread;
    for (; i < count; i += threads) {
        Sum s = sum_of_base(base_load(table, first + i));
        for (u32 copy = 1; copy < copies; copy++) {
            for (u32 d = 0; d < doublings; d++) s = sum_double(s);
            u64 at = (u64)(copy - 1) * count + i;
            sum_store(scratch, at, s);
            fq_store(products + at * FQ_WORDS, product);
            product = fq_mul(product, sum_denominator(s));
        }
    }
    Fq inverse = fq_inverse(product);
    while (i >= threads) {
        i -= threads;
        for (u32 copy = copies - 1; copy > 0; copy--) {
            u64 at = (u64)(copy - 1) * count + i;
            Sum s = sum_load(scratch, at);
            Fq own = fq_mul(inverse, fq_load(products + at * FQ_WORDS));
            inverse = fq_mul(inverse, sum_denominator(s));
            base_store(table, copy * stride + first + i, base_of_sum(s, own));
        }
    }
}
