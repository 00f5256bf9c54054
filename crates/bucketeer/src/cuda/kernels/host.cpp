// The kernels' arithmetic compiled for the host, so that it can be tested where there is no GPU.
#define __device__
#define __global__
#define __forceinline__ inline
#define __noinline__
#define __shared__ static
#define __launch_bounds__(...)
#define constexpr static const

struct uint2 {
    unsigned x, y;
};
struct uint4 {
    unsigned x, y, z, w;
};
struct Index {
    unsigned x;
};
static Index blockIdx, blockDim, gridDim, threadIdx;
static inline void atomicMin(unsigned *at, unsigned value) {
    if (value < *at) *at = value;
}
static inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
    unsigned long long both = (unsigned long long)high << 32 | low;
    return (unsigned)(both >> (shift & 31));
}
