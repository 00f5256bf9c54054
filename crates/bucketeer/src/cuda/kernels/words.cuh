// 32-bit words and the carry chains between them.
//
// On the device each function is one PTX instruction and the carry is the hardware's. Compiled for
// the host, the carry is a variable, so that everything built on these functions can be tested
// without a GPU.
#pragma once

typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

#ifdef __CUDA_ARCH__

#define CARRY_OP2(name, op)                                                      \
    __device__ __forceinline__ u32 name(u32 a, u32 b) {                          \
        u32 r;                                                                   \
        asm volatile(op " %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));              \
        return r;                                                                \
    }
#define CARRY_OP3(name, op)                                                      \
    __device__ __forceinline__ u32 name(u32 a, u32 b, u32 c) {                   \
        u32 r;                                                                   \
        asm volatile(op " %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));  \
        return r;                                                                \
    }

CARRY_OP2(add_cc, "add.cc.u32")
CARRY_OP2(addc_cc, "addc.cc.u32")
CARRY_OP2(addc, "addc.u32")
CARRY_OP2(sub_cc, "sub.cc.u32")
CARRY_OP2(subc_cc, "subc.cc.u32")
CARRY_OP2(subc, "subc.u32")
CARRY_OP3(mad_lo_cc, "mad.lo.cc.u32")
CARRY_OP3(madc_lo_cc, "madc.lo.cc.u32")
CARRY_OP3(madc_hi_cc, "madc.hi.cc.u32")
CARRY_OP3(madc_hi, "madc.hi.u32")

// −a, hidden from the optimiser: where it sees the negation, the compiler splits the wide products
// with it into high and low halves, which takes half as long again.
__device__ __forceinline__ u32 negate(u32 a) {
    u32 r;
    asm volatile("sub.u32 %0, 0, %1;" : "=r"(r) : "r"(a));
    return r;
}

#undef CARRY_OP2
#undef CARRY_OP3

#else

static u32 carry_flag;

static inline u32 with_carry(u64 sum) {
    carry_flag = (u32)(sum >> 32) & 1;
    return (u32)sum;
}
static inline u32 add_cc(u32 a, u32 b) { return with_carry((u64)a + b); }
static inline u32 addc_cc(u32 a, u32 b) { return with_carry((u64)a + b + carry_flag); }
static inline u32 addc(u32 a, u32 b) { return a + b + carry_flag; }
static inline u32 sub_cc(u32 a, u32 b) { return with_carry((u64)a - b); }
static inline u32 subc_cc(u32 a, u32 b) { return with_carry((u64)a - b - carry_flag); }
static inline u32 subc(u32 a, u32 b) { return a - b - carry_flag; }
static inline u32 negate(u32 a) { return 0u - a; }
static inline u32 low(u32 a, u32 b) { return a * b; }
static inline u32 high(u32 a, u32 b) { return (u32)((u64)a * b >> 32); }
static inline u32 mad_lo_cc(u32 a, u32 b, u32 c) { return add_cc(low(a, b), c); }
static inline u32 madc_lo_cc(u32 a, u32 b, u32 c) { return addc_cc(low(a, b), c); }
static inline u32 madc_hi_cc(u32 a, u32 b, u32 c) { return addc_cc(high(a, b), c); }
static inline u32 madc_hi(u32 a, u32 b, u32 c) { return addc(high(a, b), c); }

#endif
