// What kernels find on a GPU, for the host's C++ compiler: the words of CUDA C++ and the functions
// that kernels call. It stands before a source that libnvrtc of this folder compiles, and before
// the arithmetic that the tests of the host compile. It includes nothing, which saves a third of
// the time to compile a small source.
#pragma once

#define __device__
// Weak: a prototype may stand for a kernel that another curve has.
#define __global__ __attribute__((weak))
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(...)
// Blocks run one after the other, so a block's memory is static. The sections let the driver fill
// it before each block. libnvrtc turns `extern __shared__` into `__dynamic_shared__`.
#define __shared__ static __attribute__((section("static_shared")))
#define __dynamic_shared__ static __attribute__((section("dynamic_shared")))

struct __align__(8) uint2 {
    unsigned x, y;
};
struct __align__(16) uint4 {
    unsigned x, y, z, w;
};
struct Index {
    unsigned x;
};

enum Meeting { BARRIER = 1, SHUFFLE, SHUFFLE_UP, SHUFFLE_DOWN };

// What the driver tells the running thread, and what a thread asks the driver for.
struct Device {
    Index thread, block, block_size, grid_size;
    // Goes on when the threads of the block have arrived.
    void (*barrier)();
    // Exchanges values in the warp.
    unsigned (*shuffle)(Meeting kind, unsigned mask, unsigned value, unsigned delta,
                        unsigned width);
};
static Device own_device;
// The driver puts its own in when it loads a module.
extern "C" {
Device *software_device = &own_device;
}

#define threadIdx (software_device->thread)
#define blockIdx (software_device->block)
#define blockDim (software_device->block_size)
#define gridDim (software_device->grid_size)

static inline void __syncthreads() { software_device->barrier(); }
static inline unsigned __shfl_sync(unsigned mask, unsigned value, unsigned lane,
                                   unsigned width = 32) {
    return software_device->shuffle(SHUFFLE, mask, value, lane, width);
}
static inline void __syncwarp(unsigned mask = ~0u) { __shfl_sync(mask, 0, 0); }
static inline unsigned __shfl_up_sync(unsigned mask, unsigned value, unsigned delta,
                                      unsigned width = 32) {
    return software_device->shuffle(SHUFFLE_UP, mask, value, delta, width);
}
static inline unsigned __shfl_down_sync(unsigned mask, unsigned value, unsigned delta,
                                        unsigned width = 32) {
    return software_device->shuffle(SHUFFLE_DOWN, mask, value, delta, width);
}

// Threads take turns at barriers and shuffles only.
static inline unsigned atomicAdd(unsigned *at, unsigned value) {
    unsigned before = *at;
    *at = before + value;
    return before;
}
static inline unsigned atomicMin(unsigned *at, unsigned value) {
    unsigned before = *at;
    if (value < before) *at = value;
    return before;
}

static inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
    unsigned long long both = (unsigned long long)high << 32 | low;
    return (unsigned)(both >> (shift & 31));
}
static inline int __clz(int value) { return value ? __builtin_clz(value) : 32; }

// A kernel as the driver finds it.
struct KernelEntry {
    void (*call)(void **arguments);
    const unsigned *argument_sizes; // ends with 0
    unsigned most_threads;
};

template <auto kernel> struct Entry;
template <class... A, void (*kernel)(A...)> struct Entry<kernel> {
    // Braces evaluate from left to right.
    struct Call {
        Call(A... arguments) { kernel(arguments...); }
    };
    static void call(void **arguments) { Call{*(A *)*arguments++...}; }
    static constexpr unsigned sizes[] = {sizeof(A)..., 0};
};
// The parameters choose the kernel among functions of its name.
#define SOFTWARE_KERNEL(name, most_threads, ...)                                             \
    extern "C" {                                                                             \
    using software_entry_##name = Entry<static_cast<void (*)(__VA_ARGS__)>(name)>;           \
    KernelEntry software_##name{software_entry_##name::call, software_entry_##name::sizes,   \
                                most_threads};                                               \
    }
