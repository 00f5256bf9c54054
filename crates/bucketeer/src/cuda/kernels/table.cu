// Bases: into their stored form, and their shifted copies.
#define COLD
#include "curve.cuh"
#include "interface.cuh"

#if EDWARDS
FQ_CONSTANT(scale, SCALE)

// Whether an uploaded base is infinity: all ones, which no reduced coordinate is.
__device__ __forceinline__ bool is_infinite(const Fq &x) {
    const u32 *words = (const u32 *)&x;
    u32 all = ~0u;
#pragma unroll
    for (int i = 0; i < FQ_WORDS; i++) all &= words[i];
    return all == ~0u;
}

#if FROM_WEIERSTRASS
FQ_CONSTANT(montgomery_b, MONTGOMERY_B)
FQ_CONSTANT(third_of_a, THIRD_OF_A)

// A point (x, y) of the curve with u = MONTGOMERY_B·x − THIRD_OF_A. In the form it has
// x = SCALE·u/y and y = (u − 1)/(u + 1), both over the denominator y·(u + 1).
struct Mapped {
    Fq u, y, denominator;
    bool infinite;
    // Whether there is an inverse. Where there is none the denominator is 1, so that it does not
    // spoil the product of others.
    bool inverts;
};

// 2M
__device__ __forceinline__ Mapped mapped_load(const u32 *raw, u32 index) {
    const u32 *at = raw + (u64)index * 2 * FQ_WORDS;
    Fq x = fq_load(at);
    Mapped p;
    p.infinite = is_infinite(x);
    p.u = fq_sub(fq_mul(x, montgomery_b()), third_of_a());
    p.y = fq_load(at + FQ_WORDS);
    Fq d = fq_mul(p.y, fq_add(p.u, fq_one()));
    p.inverts = !p.infinite && !fq_is_zero(d);
    p.denominator = fq_select(p.inverts, d, fq_one());
    return p;
}

// 7M. Infinity is (0, 1); (0, 0) stands for points that the form does not have.
__device__ __forceinline__ Base base_of_mapped(const Mapped &p, const Fq &inverse) {
    Fq one = fq_one(), factor = fq_select(p.inverts, inverse, fq_zero());
    Fq x = fq_mul(fq_mul(fq_mul(p.u, fq_add(p.u, one)), scale()), factor);
    Fq y = fq_mul(fq_mul(fq_sub(p.u, one), p.y), factor);
    return base_of_affine(x, fq_select(p.infinite, one, y));
}
#endif

// Bases in the curve's own coordinates to stored ones. `scratch` begins with the former and has
// room for a field element more for each: a thread shares one inversion among its bases
// (Montgomery's trick).
extern "C" __global__ void __launch_bounds__(TABLE_BLOCK) import_bases(
    u32 *scratch, u32 count, u32 *table, u64 first) {
    u32 thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    if (thread >= count) return;
    u32 i = thread;
#if FROM_WEIERSTRASS
    u32 *products = scratch + (u64)count * 2 * FQ_WORDS;
    Fq product = fq_one();
    for (; i < count; i += threads) {
        fq_store(products + (u64)i * FQ_WORDS, product);
        product = fq_mul(product, mapped_load(scratch, i).denominator);
    }
    Fq inverse = fq_inverse(product);
    while (i >= threads) {
        i -= threads;
        Mapped p = mapped_load(scratch, i);
        Fq own = fq_mul(inverse, fq_load(products + (u64)i * FQ_WORDS));
        inverse = fq_mul(inverse, p.denominator);
        base_store(table, first + i, base_of_mapped(p, own));
    }
#else
    for (; i < count; i += threads) {
        const u32 *at = scratch + (u64)i * 2 * FQ_WORDS;
        Fq x = fq_load(at), y = fq_load(at + FQ_WORDS);
        bool infinite = is_infinite(x);
        x = fq_select(infinite, fq_zero(), fq_mul(x, scale()));
        base_store(table, first + i, base_of_affine(x, fq_select(infinite, fq_one(), y)));
    }
#endif
}
#endif

// The shifted copies of some bases:
// table[copy·stride + first + i] = 2^(copy·doublings) · table[first + i].
// Each thread shares one inversion among all copies of its bases; `scratch` holds a sum and a field
// element for each copy.
extern "C" __global__ void __launch_bounds__(TABLE_BLOCK) shift_bases(
    u32 *table, u64 first, u64 stride, u32 count, u32 copies, u32 doublings, u32 *scratch) {
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
