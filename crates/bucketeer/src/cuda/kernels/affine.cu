// Stage 3, accumulate, in affine coordinates: 5M+1S an addition, and a share of an inversion.
//
// Every task adds its entries one after the other, and all tasks add one at a time: a *step*. The
// slopes of a step are quotients, and a thread inverts the product of all its denominators at once
// (Montgomery's trick). It takes tasks in turn, as many apart as there are threads:
//
// 1. `first_step` makes the first entry of every task its sum, and multiplies up the denominators
//    of the next step. A task keeps the product of those before its own, its *prefix*.
// 2. `invert_products` inverts the products of all threads.
// 3. `add_step` goes through the tasks backwards: inverse · prefix is the inverse of a task's own
//    denominator, which yields the sum. From it follows the denominator of the next step, so the
//    same loop multiplies those up. Steps go up and down the tasks in turn.
// 4. `store_sums` puts the sums where they belong.
//
// Tasks are ordered by length, longest first, so those of a step are the first ones, and among
// those of the step before.
//
// An addition without a slope has a denominator of its own, 2y for a doubling and 1 where a point
// is infinite or the points are opposite, and takes no longer than others.
//
// Sums and prefixes are planar: vector v of element i is at v·stride + i. Points of a table are
// fetched by the lanes of a warp together, one task ahead.
#include "curve.cuh"
#include "interface.cuh"

#if !EDWARDS
#include "async.cuh"

constexpr u32 VECTORS = FQ_WORDS / VECTOR;
// Vectors between two coordinates in shared memory: odd, so that lanes use different banks.
constexpr u32 RECORD = VECTORS | 1;

// Planes of shared memory: sum and prefix of a thread's task, and the product of its tasks; in
// large fields, whose products take all registers, the inverse too.
enum Plane : u32 { X, Y, PREFIX, PRODUCT, INVERSE };
constexpr u32 PLANES = FQ_WORDS > 16 ? 5 : 4;
// Coordinates of points after them: of this task's entry, and of its next one.
enum Point : u32 { POINT_X, POINT_Y, NEXT_X, POINTS };

// Infinity in two coordinates, of which the first tells.
__device__ __forceinline__ bool at_infinity(const Fq &x) { return base_is_infinity(Base{x, x}); }

__device__ __forceinline__ Fq planar_load(const u32 *from, u64 stride, u32 index) {
    Fq r;
    Vector *vectors = (Vector *)&r;
#pragma unroll
    for (u32 v = 0; v < VECTORS; v++) vectors[v] = ((const Vector *)from)[v * stride + index];
    return r;
}

__device__ __forceinline__ void planar_store(u32 *to, u64 stride, u32 index, const Fq &a) {
    const Vector *vectors = (const Vector *)&a;
#pragma unroll
    for (u32 v = 0; v < VECTORS; v++) ((Vector *)to)[v * stride + index] = vectors[v];
}

// How two points are added.
enum Way : u32 { BY_SLOPE, BY_TANGENT, TAKE_FIRST, TAKE_SECOND, CANCEL };

// Points with different x, neither infinite, have a slope. `difference` is that of the x.
__device__ __forceinline__ bool have_slope(const Fq &x1, const Fq &x2, const Fq &difference,
                                           u32 entry) {
    return !fq_is_zero(difference) && !at_infinity(x1) && !at_infinity(x2) && entry != NO_ENTRY;
}

// The way for points that have no slope.
__device__ __forceinline__ Way way_of(const Fq &x1, const Fq &y1, const Fq &x2, const Fq &y2,
                                      u32 entry) {
    if (entry == NO_ENTRY || at_infinity(x2)) return TAKE_FIRST;
    if (at_infinity(x1)) return TAKE_SECOND;
    return fq_is_zero(fq_sub(y1, y2)) && !fq_is_zero(y1) ? BY_TANGENT : CANCEL;
}

__device__ __forceinline__ Fq denominator_of(Way way, const Fq &y) {
    return fq_select(way == BY_TANGENT, fq_double(y), fq_one());
}

__device__ __forceinline__ Fq with_sign(const Fq &y, u32 entry) {
    return fq_select(entry & NEGATIVE, fq_neg(y), y);
}

// Where a point lies. One that an entry does not name may be any.
__device__ __forceinline__ u32 index_of(u32 entry) {
    return entry == NO_ENTRY ? 0 : entry & ~NEGATIVE;
}

// The denominator of sum + point of the entry, of which x2 is known.
__device__ __forceinline__ Fq next_denominator(const Fq &x1, const Fq &y1, const Fq &x2,
                                               const u32 *table, u32 entry) {
    Fq d = fq_sub(x2, x1);
    if (have_slope(x1, x2, d, entry)) return d;
    const u32 *at = table + (u64)index_of(entry) * (BASE_FIELDS * FQ_WORDS);
    Fq y2 = with_sign(fq_load(at + FQ_WORDS), entry);
    return denominator_of(way_of(x1, y1, x2, y2, entry), y1);
}

// The numerator of a tangent's slope: 3x² + a.
__device__ __forceinline__ Fq tangent_rise(const Fq &x) {
    Fq square = fq_sqr(x), rise = fq_add(fq_double(square), square);
#if !A_IS_ZERO
    rise = fq_add(rise, curve_a());
#endif
    return rise;
}

// Sums, planar: x, y and prefixes of `stride` tasks each.
struct Sums {
    u32 *x, *y, *prefix;
};

__device__ __forceinline__ Sums sums_at(u32 *sums, u64 stride) {
    u64 plane = stride * FQ_WORDS;
    return Sums{sums, sums + plane, sums + 2 * plane};
}

// The sum of two points of which one is infinite, or that are opposite. They are read once more, so
// that no register holds them until here.
__device__ __forceinline__ Base sum_without_slope(Way way, const Sums &sums, u64 stride, u32 task,
                                                  const u32 *table, u32 entry) {
    if (way == CANCEL) return base_infinity();
    if (way == TAKE_FIRST)
        return Base{planar_load(sums.x, stride, task), planar_load(sums.y, stride, task)};
    Base b = base_load(table, index_of(entry));
    return Base{b.x, with_sign(b.y, entry)};
}

extern "C" __global__ void __launch_bounds__(AFFINE_BLOCK) first_step(
    StepInput first, StepInput next, u32 *sums, u32 stride, u32 *products) {
    u32 threads = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;
    u32 active = first.bounds[1] - first.bounds[0], continued = next.bounds[1] - next.bounds[0];
    const u32 *entries = first.entries + first.bounds[0];
    const u32 *next_entries = next.entries + next.bounds[0];
    Sums own = sums_at(sums, stride);
    Fq product = fq_one();
    for (u32 task = thread; task < active; task += threads) {
        u32 entry = entries[task];
        Base b = base_load(first.table, index_of(entry));
        Fq y = with_sign(b.y, entry);
        planar_store(own.x, stride, task, b.x);
        planar_store(own.y, stride, task, y);
        if (task >= continued) continue;
        u32 following = next_entries[task];
        Fq x2 = fq_load(next.table + (u64)index_of(following) * (BASE_FIELDS * FQ_WORDS));
        planar_store(own.prefix, stride, task, product);
        product = fq_mul(product, next_denominator(b.x, y, x2, next.table, following));
    }
    planar_store(products, threads, thread, product);
}

// The products of `count` threads from `first` on, of `threads` in all, unless the step has no
// tasks for them. A thread inverts INVERTED_TOGETHER of them, as many apart as it takes threads.
extern "C" __global__ void __launch_bounds__(INVERT_BLOCK) invert_products(
    const u32 *bounds, u32 *products, u32 threads, u32 first, u32 count) {
    if (bounds[1] - bounds[0] <= first) return;
    u32 apart = (count + INVERTED_TOGETHER - 1) / INVERTED_TOGETHER;
    u32 thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread >= apart) return;
    Fq prefixes[INVERTED_TOGETHER];
    Fq product = fq_one();
#pragma unroll
    for (u32 i = 0; i < INVERTED_TOGETHER; i++) {
        u32 at = i * apart + thread;
        prefixes[i] = product;
        if (at < count) product = fq_mul(product, planar_load(products, threads, first + at));
    }
    Fq inverse = fq_inverse(product);
#pragma unroll
    for (u32 i = INVERTED_TOGETHER; i-- > 0;) {
        u32 at = i * apart + thread;
        if (at >= count) continue;
        Fq own = planar_load(products, threads, first + at);
        planar_store(products, threads, first + at, fq_mul(inverse, prefixes[i]));
        inverse = fq_mul(inverse, own);
    }
}

extern __shared__ __align__(16) u32 fetched[];

__device__ __forceinline__ Vector *plane(u32 which, u32 v) {
    return (Vector *)fetched + (which * VECTORS + v) * AFFINE_BLOCK + threadIdx.x;
}

__device__ __forceinline__ Fq plane_load(u32 which) {
    Fq r;
    Vector *vectors = (Vector *)&r;
#pragma unroll
    for (u32 v = 0; v < VECTORS; v++) vectors[v] = *plane(which, v);
    return r;
}

__device__ __forceinline__ void plane_store(u32 which, const Fq &a) {
    const Vector *vectors = (const Vector *)&a;
#pragma unroll
    for (u32 v = 0; v < VECTORS; v++) *plane(which, v) = vectors[v];
}

// Fetches an element of a planar array for this thread.
__device__ __forceinline__ void fetch_plane(u32 which, const u32 *from, u64 stride, u32 index) {
#pragma unroll
    for (u32 v = 0; v < VECTORS; v++)
        copy_async(plane(which, v), (const Vector *)from + v * stride + index);
}

__device__ __forceinline__ Vector *coordinate(u32 which, u32 thread) {
    return (Vector *)fetched + (PLANES * VECTORS + which * RECORD) * AFFINE_BLOCK + thread * RECORD;
}

__device__ __forceinline__ Fq coordinate_load(u32 which) {
    Fq r;
    Vector *vectors = (Vector *)&r;
    const Vector *from = coordinate(which, threadIdx.x);
#pragma unroll
    for (u32 v = 0; v < VECTORS; v++) vectors[v] = from[v];
    return r;
}

// Fetches coordinate `field` of the points that the lanes of this warp name: consecutive lanes
// fetch consecutive vectors of a point.
__device__ __forceinline__ void fetch_coordinates(u32 which, const u32 *table, u32 entry,
                                                  u32 field) {
    u32 lane = threadIdx.x & 31, warp = threadIdx.x & ~31u;
#pragma unroll
    for (u32 i = 0; i < VECTORS; i++) {
        u32 at = i * 32 + lane, point = at / VECTORS, v = at % VECTORS;
        u32 named = __shfl_sync(0xffffffffu, entry, point);
        if (named == NO_ENTRY) continue;
        u64 from = (u64)(named & ~NEGATIVE) * BASE_FIELDS + field;
        copy_async(coordinate(which, warp + point) + v,
                   (const Vector *)table + from * VECTORS + v);
    }
}

// The inverse of the product of the denominators that are left.
#if FQ_WORDS > 16
struct Inverse {
    __device__ __forceinline__ void set(const Fq &a) { plane_store(INVERSE, a); }
    __device__ __forceinline__ Fq get() const { return plane_load(INVERSE); }
};
#else
struct Inverse {
    Fq value;
    __device__ __forceinline__ void set(const Fq &a) { value = a; }
    __device__ __forceinline__ Fq get() const { return value; }
};
#endif

// The entry of a task, of the first `active` ones; for others that of task 0 is loaded, which needs
// no branch.
__device__ __forceinline__ u32 entry_of(const u32 *entries, u32 task, u32 active) {
    return entries[task < active ? task : 0];
}

// The same for the next step, where most tasks may have no entry, and fetching the point of task 0
// for all of them would keep one part of L2 busy.
__device__ __forceinline__ u32 next_entry_of(const u32 *entries, u32 task, u32 active) {
    u32 entry = entry_of(entries, task, active);
    return task < active ? entry : NO_ENTRY;
}

extern "C" __global__ void __launch_bounds__(AFFINE_BLOCK, AFFINE_BLOCKS) add_step(
    StepInput current, StepInput next, u32 upwards, u32 *sums, u32 stride, u32 *products, u32
    threads, u32 first_block) {
    u32 thread = (first_block + blockIdx.x) * AFFINE_BLOCK + threadIdx.x;
    u32 active = current.bounds[1] - current.bounds[0];
    u32 continued = next.bounds[1] - next.bounds[0];
    const u32 *entries = current.entries + current.bounds[0];
    const u32 *next_entries = next.entries + next.bounds[0];
    // A next step without tasks has not even an entry for task 0.
    if (continued == 0) next_entries = entries, next.table = current.table;
    Sums own = sums_at(sums, stride);
    plane_store(PRODUCT, fq_one());
    // The lanes of a warp go on together as long as the first of them has a task.
    u32 first = thread & ~31u;
    if (first < active) {
        Inverse inverse;
        inverse.set(planar_load(products, threads, thread));
        u32 rounds = (active - first + threads - 1) / threads;
        u32 task = thread + (upwards ? 0 : (rounds - 1) * threads);
        u32 hop = upwards ? threads : 0 - threads;
        u32 entry = entry_of(entries, task, active);
        u32 entry_after = entry_of(entries, task + hop, active);
        u32 next_entry = next_entry_of(next_entries, task, continued);
        // What the addition to a task needs. One that the step does not have stands for task 0.
        auto fetch = [&](u32 task, u32 entry) {
            u32 held = task < active ? task : 0;
            fetch_plane(X, own.x, stride, held);
            fetch_plane(Y, own.y, stride, held);
            fetch_plane(PREFIX, own.prefix, stride, held);
            fetch_coordinates(POINT_X, current.table, entry, 0);
            fetch_coordinates(POINT_Y, current.table, entry, 1);
        };
        fetch(task, entry);
        end_copies();
#pragma unroll 1
        for (u32 round = 0; round < rounds; round++) {
            bool valid = task < active, goes_on = task < continued, more = round + 1 < rounds;
            wait_for_copies<0>();
            __syncwarp();
            u32 added = entry, following = next_entry, task_after = task + hop;
            Fq x1 = plane_load(X), x2 = coordinate_load(POINT_X), d = fq_sub(x2, x1);
            Way way = BY_SLOPE;
            if (!have_slope(x1, x2, d, added)) {
                Fq y1 = plane_load(Y);
                way = way_of(x1, y1, x2, with_sign(coordinate_load(POINT_Y), added), added);
                d = denominator_of(way, y1);
            }
            fetch_coordinates(NEXT_X, next.table, following, 0);
            end_copies();
            entry = entry_after;
            next_entry = next_entry_of(next_entries, task_after, continued);
            entry_after = entry_of(entries, task_after + hop, active);
            Fq quotient = fq_mul(inverse.get(), plane_load(PREFIX));
            inverse.set(fq_mul(inverse.get(), fq_select(valid, d, fq_one())));
            // Coordinates are read again where they are used, which leaves registers free.
            Fq y1 = plane_load(Y), y2 = with_sign(coordinate_load(POINT_Y), added);
            Fq rise = fq_sub(y2, y1);
            if (way == BY_TANGENT) rise = tangent_rise(plane_load(X));
            Fq slope = fq_mul(rise, quotient);
            x1 = plane_load(X), x2 = coordinate_load(POINT_X);
            Fq x3 = fq_sub(fq_sub(fq_sqr(slope), x1), x2);
            Fq run = fq_sub(x1, x3);
            __syncwarp();
            if (more) fetch(task_after, entry);
            end_copies();
            // In large fields y is read once more, too.
            if (FQ_WORDS > 16) y1 = planar_load(own.y, stride, task < active ? task : 0);
            Fq y3 = fq_sub(fq_mul(slope, run), y1);
            if (way > BY_TANGENT) {
                Base sum = sum_without_slope(way, own, stride, task, current.table, added);
                x3 = sum.x, y3 = sum.y;
            }
            if (valid) {
                planar_store(own.x, stride, task, x3);
                planar_store(own.y, stride, task, y3);
            }
            // All copies but those for the next round.
            wait_for_copies<1>();
            __syncwarp();
            if (goes_on) {
                Fq product = plane_load(PRODUCT), next_x = coordinate_load(NEXT_X);
                planar_store(own.prefix, stride, task, product);
                d = next_denominator(x3, y3, next_x, next.table, following);
                plane_store(PRODUCT, fq_mul(product, d));
            }
            task = task_after;
        }
    }
    planar_store(products, threads, thread, plane_load(PRODUCT));
}

// Sums to their buckets, or to the slots of split ones: as points that another round adds, or as
// sums that are folded.
extern "C" __global__ void store_sums(
    const Task *tasks, const u32 *task_count, u32 *sums, u32 stride, u32 *buckets, u32 *slots, u32
    folded) {
    u32 at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= *task_count) return;
    Task task = tasks[at];
    Sums own = sums_at(sums, stride);
    Base b = Base{planar_load(own.x, stride, at), planar_load(own.y, stride, at)};
    if (task.slot == NO_SLOT) base_store(buckets, task.bucket, b);
    else if (folded) sum_store(slots, task.slot, sum_of_base(b));
    else base_store(slots, task.slot, b);
}

#endif
