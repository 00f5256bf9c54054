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

// table[to + i] = 2^doublings · table[from + i]. Each thread shares one inversion among its points;
// `scratch` holds a sum and a field element for each point.
extern "C" __global__ void __launch_bounds__(128)
    shift_bases(u32 *table, u64 from, u64 to, u32 count, u32 doublings, u32 *scratch) {
    u32 thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    if (thread >= count) return;
    u32 *products = scratch + (u64)count * SUM_FIELDS * FQ_WORDS;
    Fq product = fq_one();
    u32 i = thread;
    for (; i < count; i += threads) {
        Sum s = sum_of_base(base_load(table, from + i));
        for (u32 d = 0; d < doublings; d++) s = sum_double(s);
        sum_store(scratch, i, s);
        fq_store(products + (u64)i * FQ_WORDS, product);
        product = fq_mul(product, sum_denominator(s));
    }
    Fq inverse = fq_inverse(product);
    while (i >= threads) {
        i -= threads;
        Sum s = sum_load(scratch, i);
        Fq own = fq_mul(inverse, fq_load(products + (u64)i * FQ_WORDS));
        inverse = fq_mul(inverse, sum_denominator(s));
        base_store(table, to + i, base_of_sum(s, own));
    }
}
