// Runs the blocks of a launch, one after the other.
//
// Every thread of a block is a fiber: a stack of its own, on which it runs until it meets others at
// a barrier or a shuffle, or ends. A fiber whose thread has ended serves the next one, so a kernel
// without barriers needs a single fiber. A barrier is passed when every thread of the block is
// there or has ended, a shuffle when every lane of the warp is; threads that can never meet are
// reported. Threads and blocks take turns forwards in one block and backwards in the next, so that
// a missing barrier shows.
#pragma once
#include <setjmp.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "device.h"

constexpr unsigned char FRESH = 0xa5; // what memory holds that nobody has written

[[noreturn]] inline void stop(const char *what, const char *name) {
    fprintf(stderr, "software CUDA: %s: %s\n", name, what);
    abort();
}

struct Range {
    unsigned char *begin = nullptr;
    size_t size = 0;
};

// One launch.
struct Launch {
    const char *name;
    const KernelEntry *entry;
    void **arguments;
    unsigned blocks, threads, shared;
    Range static_shared, dynamic_shared; // the latter longer than `shared`, to see writes past it
};

class Blocks {
    static constexpr size_t STACK = 256 << 10, GUARD = 4096;
    static constexpr unsigned ENDED = 100, READY = 0;

    struct Fiber {
        ucontext_t start;
        jmp_buf at;
        bool started = false;
    };
    struct Thread {
        Fiber *fiber = nullptr;
        unsigned state = READY; // READY, ENDED or the Meeting it waits at
    };

    const Launch *launch = nullptr;
    std::vector<Thread> threads;
    std::vector<Fiber *> idle;
    jmp_buf scheduler;
    unsigned current = 0, runs = 0;
    // Values of a warp in flight. The next shuffle uses the other half, so that nobody overwrites
    // what another lane has yet to read.
    unsigned values[1024][2], turn[1024];

    static Blocks *self;

    static void fiber_main() {
        for (;;) {
            self->launch->entry->call(self->launch->arguments);
            self->wait(ENDED);
        }
    }

    Fiber *new_fiber() {
        auto *fiber = new Fiber;
        void *stack = mmap(nullptr, STACK, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (stack == MAP_FAILED) stop("no memory for a stack", "a launch");
        mprotect(stack, GUARD, PROT_NONE);
        getcontext(&fiber->start);
        fiber->start.uc_stack.ss_sp = stack;
        fiber->start.uc_stack.ss_size = STACK;
        makecontext(&fiber->start, fiber_main, 0);
        return fiber;
    }

    // Leaves the fiber; returns when the scheduler goes on with it. setcontext makes system calls,
    // so it only starts a fiber.
    void wait(unsigned state) {
        threads[current].state = state;
        if (!_setjmp(threads[current].fiber->at)) _longjmp(scheduler, 1);
    }

    // Runs a thread until it waits or ends.
    void run(unsigned index) {
        Thread &thread = threads[index];
        if (!thread.fiber) {
            if (idle.empty()) idle.push_back(new_fiber());
            thread.fiber = idle.back();
            idle.pop_back();
        }
        current = index;
        device.thread.x = index;
        if (!_setjmp(scheduler)) {
            if (thread.fiber->started) _longjmp(thread.fiber->at, 1);
            thread.fiber->started = true;
            setcontext(&thread.fiber->start);
        }
        Thread &ran = threads[current];
        if (ran.state == ENDED) idle.push_back(ran.fiber);
    }

    // Runs a warp until each of its threads is at a barrier or has ended.
    void run_warp(unsigned first, bool backwards) {
        unsigned size = first + 32 < launch->threads ? 32 : launch->threads - first;
        for (;;) {
            unsigned meeting = 0, others = 0;
            for (unsigned i = 0; i < size; i++) {
                unsigned index = first + (backwards ? size - 1 - i : i);
                if (threads[index].state == READY) run(index);
            }
            for (unsigned i = first; i < first + size; i++) {
                unsigned state = threads[i].state;
                if (state == ENDED) continue;
                if (!meeting) meeting = state;
                others |= state != meeting;
            }
            if (others) stop("the lanes of a warp wait at different places", launch->name);
            if (meeting == 0 || meeting == BARRIER) return;
            for (unsigned i = first; i < first + size; i++)
                if (threads[i].state != ENDED) threads[i].state = READY;
        }
    }

    void run_block(bool backwards) {
        const Launch &l = *launch;
        memset(l.static_shared.begin, FRESH, l.static_shared.size);
        memset(l.dynamic_shared.begin, FRESH, l.dynamic_shared.size);
        threads.assign(l.threads, Thread());
        unsigned warps = (l.threads + 31) / 32;
        for (bool waiting = true; waiting;) {
            for (unsigned i = 0; i < warps; i++)
                run_warp(32 * (backwards ? warps - 1 - i : i), backwards);
            waiting = false;
            for (Thread &thread : threads) {
                if (thread.state == ENDED) continue;
                thread.state = READY;
                waiting = true;
            }
        }
        for (size_t at = l.shared; at < l.dynamic_shared.size; at++)
            if (l.dynamic_shared.begin[at] != FRESH) stop("wrote past its shared memory", l.name);
    }

  public:
    Device device{};

    Blocks() {
        self = this;
        device.barrier = [] { self->wait(BARRIER); };
        device.shuffle = [](Meeting kind, unsigned mask, unsigned value, unsigned delta,
                            unsigned width) {
            return self->shuffle(kind, mask, value, delta, width);
        };
    }

    unsigned shuffle(Meeting kind, unsigned mask, unsigned value, unsigned delta, unsigned width) {
        unsigned index = current, lane = index % 32, half = turn[index]++ % 2;
        if (mask != ~0u) stop("a shuffle of some lanes only is not supported", launch->name);
        if (width == 0 || width > 32 || width & (width - 1))
            stop("the width of a shuffle is not a power of two up to 32", launch->name);
        values[index][half] = value;
        wait(kind);
        // Lanes outside the group leave the value as it is.
        unsigned within = lane % width, from = index;
        if (kind == SHUFFLE) from = index - within + delta % width;
        if (kind == SHUFFLE_UP && within >= delta) from = index - delta;
        if (kind == SHUFFLE_DOWN && within + delta < width) from = index + delta;
        // Lanes that have ended, or that the block does not have, have no value.
        bool there = from < launch->threads && turn[from] >= turn[index];
        return there ? values[from][half] : FRESH * 0x01010101u;
    }

    void run(const Launch &l) {
        launch = &l;
        device.block_size.x = l.threads;
        device.grid_size.x = l.blocks;
        bool backwards = runs++ % 2;
        for (unsigned i = 0; i < l.blocks; i++) {
            device.block.x = backwards ? l.blocks - 1 - i : i;
            memset(turn, 0, sizeof turn);
            run_block((i + runs) % 2);
        }
    }
};

inline Blocks *Blocks::self;
