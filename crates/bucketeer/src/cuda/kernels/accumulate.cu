// Stage 3, accumulate: lists → bucket sums.
#include "curve.cuh"
#include "interface.cuh"

#if FQ_WORDS > 16 && !EDWARDS

// An accumulator of large coordinates does not fit in registers beside the products: it lives in
// shared memory, word by word, so that the threads of a warp never share a bank.
__shared__ u32 accumulators[SUM_FIELDS * FQ_WORDS * ACCUMULATE_BLOCK];

__device__ __forceinline__ Fq field_of_sum(int field) {
    Fq r;
    u32 *w = (u32 *)&r;
#pragma unroll
    for (int i = 0; i < FQ_WORDS; i++)
        w[i] = accumulators[(field * FQ_WORDS + i) * ACCUMULATE_BLOCK + threadIdx.x];
    return r;
}

__device__ __forceinline__ void set_field_of_sum(int field, const Fq &value) {
    const u32 *w = (const u32 *)&value;
#pragma unroll
    for (int i = 0; i < FQ_WORDS; i++)
        accumulators[(field * FQ_WORDS + i) * ACCUMULATE_BLOCK + threadIdx.x] = w[i];
}

enum { X, Y, ZZ, ZZZ };

struct Accumulator {
    __device__ __forceinline__ void set(const Sum &s) {
        set_field_of_sum(X, s.x);
        set_field_of_sum(Y, s.y);
        set_field_of_sum(ZZ, s.zz);
        set_field_of_sum(ZZZ, s.zzz);
    }

    // madd-2008-s, as in weierstrass.cuh.
    __device__ __forceinline__ void add(const u32 *table, u32 entry) {
        const u32 *at = table + (u64)(entry & ~NEGATIVE) * (BASE_FIELDS * FQ_WORDS);
        Fq bx = fq_load(at);
        if (base_is_infinity(Base{bx, bx})) return;
        Fq zz = field_of_sum(ZZ);
        Fq by = fq_load(at + FQ_WORDS);
        by = fq_select(entry & NEGATIVE, fq_neg(by), by);
        if (fq_is_zero(zz)) {
            set(Sum{bx, by, fq_one(), fq_one()});
            return;
        }
        Fq d = fq_sub(fq_mul(bx, zz), field_of_sum(X));
        Fq r = fq_sub(fq_mul(by, field_of_sum(ZZZ)), field_of_sum(Y));
        if (fq_is_zero(d)) {
            set(sum_of_equal_x(Sum{bx, by, fq_one(), fq_one()}, fq_is_zero(r)));
            return;
        }
        Fq dd = fq_sqr(d);
        set_field_of_sum(ZZ, fq_mul(field_of_sum(ZZ), dd));
        Fq q = fq_mul(field_of_sum(X), dd);
        Fq ddd = fq_mul(d, dd);
        set_field_of_sum(ZZZ, fq_mul(field_of_sum(ZZZ), ddd));
        Fq x = fq_sub(fq_sub(fq_sqr(r), ddd), fq_double(q));
        set_field_of_sum(X, x);
        set_field_of_sum(Y, fq_mul_sub(r, fq_sub(q, x), field_of_sum(Y), ddd));
    }

    __device__ __forceinline__ Sum get() const {
        return Sum{field_of_sum(X), field_of_sum(Y), field_of_sum(ZZ), field_of_sum(ZZZ)};
    }
};

#else

struct Accumulator {
    Sum sum;

    __device__ __forceinline__ void set(const Sum &s) { sum = s; }
    __device__ __forceinline__ void add(const u32 *table, u32 entry) {
        sum_add_base(sum, base_load(table, entry & ~NEGATIVE), entry & NEGATIVE);
    }
    __device__ __forceinline__ Sum get() const { return sum; }
};

#endif

// One thread per task. With `add` set, sums continue those of earlier chunks.
extern "C" __global__ void __launch_bounds__(ACCUMULATE_BLOCK, ACCUMULATE_BLOCKS) accumulate(
    const u32 *table, const u32 *entries, const Task *tasks, const u32 *task_count, u32 add, u32
    *buckets, u32 *slots) {
    u32 at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= *task_count) return;
    Task task = tasks[at];
    bool whole = task.slot == NO_SLOT;
    const u32 *list = entries + task.start;
    Accumulator sum;
    sum.set(add && whole ? sum_load(buckets, task.bucket) : sum_identity());
    u32 entry = list[0];
    for (u32 i = 1; i <= task.length; i++) {
        u32 own = entry;
        if (i < task.length) entry = list[i];
        sum.add(table, own);
    }
    sum_store(whole ? buckets : slots, whole ? task.bucket : task.slot, sum.get());
}
