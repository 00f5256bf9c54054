// Copies from global to shared memory that go on while a thread computes. GPUs before compute
// capability 8.0, and the host, copy at once.
#pragma once
#include "extension.cuh"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800

__device__ __forceinline__ void copy_async(Vector *to, const Vector *from) {
    u32 address = __cvta_generic_to_shared(to);
#if VECTOR == 4
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(from) : "memory");
#else
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(address), "l"(from) : "memory");
#endif
}

// Ends a group of copies.
__device__ __forceinline__ void end_copies() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits for the copies of this thread in all groups but the last `UNFINISHED`.
template <int UNFINISHED> __device__ __forceinline__ void wait_for_copies() {
    asm volatile("cp.async.wait_group %0;" ::"n"(UNFINISHED) : "memory");
}

#else

__device__ __forceinline__ void copy_async(Vector *to, const Vector *from) { *to = *from; }
__device__ __forceinline__ void end_copies() {}
template <int UNFINISHED> __device__ __forceinline__ void wait_for_copies() {}

#endif
