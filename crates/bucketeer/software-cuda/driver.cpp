// libcuda.so.1 in software: the functions of the CUDA driver that Bucketeer calls.
//
// Device memory is the host's, fresh memory is filled with a pattern, and memory past the end of an
// allocation cannot be accessed. Work is queued in its stream and carried out in the thread that
// waits for it, or earlier, as a generator of random numbers decides: so an event that nobody waits
// for and a host buffer that is reused too early show. SOFTWARE_CUDA_SEED is the generator's seed;
// with 0 everything is done at once. SOFTWARE_CUDA_MIB is the device's memory, SOFTWARE_CUDA_GPUS
// how many devices there seem to be, on the same memory. One lock serialises all calls.
//
// Any call can be made to fail: see Faults.
#include <dlfcn.h>
#include <elf.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>

#include "blocks.h"

#define API extern "C" __attribute__((visibility("default"))) int

enum Result {
    SUCCESS = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    INVALID_IMAGE = 200,
    INVALID_CONTEXT = 201,
    NOT_FOUND = 500,
    NOT_READY = 600,
};

constexpr size_t PAGE = 4096;
// Plans for one multiprocessor have few threads, which take long enough here.
constexpr unsigned MULTIPROCESSORS = 1, USUAL_SHARED = 48 << 10, MOST_SHARED = 227 << 10;

struct Stream {
    std::deque<std::function<void()>> queue;
    uint64_t queued = 0, done = 0;

    // Does the work up to a point. What waits for another stream calls this for that one.
    void run(uint64_t until) {
        while (done < until) {
            auto work = std::move(queue.front());
            queue.pop_front();
            work();
            done++;
        }
    }
};
using SharedStream = std::shared_ptr<Stream>;

// The last record of an event: the point of the stream, and when it was reached.
struct Mark {
    SharedStream stream;
    uint64_t at;
    double time = -1;
};
struct Event {
    std::shared_ptr<Mark> mark;
};

struct Kernel {
    std::string name;
    const KernelEntry *entry;
    unsigned allowed_shared;
    Range static_shared, dynamic_shared;
};
struct Module {
    void *library;
    std::map<std::string, Kernel> kernels;
};

static unsigned setting(const char *name, unsigned otherwise) {
    const char *text = getenv(name);
    return text ? atoi(text) : otherwise;
}

// The call that fails: after `left` others, with `code`. A lost device fails from then on, as after
// an error of a kernel, until its context is given up by all. Calls that release something count
// and fail only on a lost device. SOFTWARE_CUDA_FAIL is the number of calls before the one that
// fails, SOFTWARE_CUDA_CODE its result, and SOFTWARE_CUDA_LOSE=1 loses the device.
struct Faults {
    long left = getenv("SOFTWARE_CUDA_FAIL") ? setting("SOFTWARE_CUDA_FAIL", 0) : -1, calls = 0;
    int code = setting("SOFTWARE_CUDA_CODE", 719), lost = 0;
    bool loses = setting("SOFTWARE_CUDA_LOSE", 0);

    int next() {
        calls++;
        if (lost) return lost;
        if (left < 0 || left-- > 0) return 0;
        if (loses) lost = code;
        return code;
    }
};
static Faults faults;

static std::recursive_mutex mutex;
#define LOCK std::lock_guard<std::recursive_mutex> lock(mutex)
#define CALL \
    LOCK;    \
    if (int fault = faults.next()) return fault
#define NEED_CONTEXT \
    CALL;            \
    if (!current_context) return INVALID_CONTEXT
#define RELEASE \
    LOCK;       \
    if (faults.lost) return faults.lost

static thread_local void *current_context;
static std::map<char *, size_t> device_memory, page_locked;
static size_t used = 0;
static std::map<Stream *, SharedStream> streams;
static std::set<Event *> events;
static std::set<Module *> modules;
static Blocks blocks;

static unsigned seed() { return setting("SOFTWARE_CUDA_SEED", 1); }
static const int GPUS = setting("SOFTWARE_CUDA_GPUS", 1);
static const size_t MEMORY = size_t(setting("SOFTWARE_CUDA_MIB", 2048)) << 20;

static double now() {
    auto time = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double, std::milli>(time).count();
}

static void enqueue(const SharedStream &stream, std::function<void()> work) {
    if (faults.lost) return;
    static const bool at_once = seed() == 0;
    static std::mt19937 random(seed());
    stream->queue.push_back(std::move(work));
    stream->queued++;
    if (at_once) return stream->run(stream->queued);
    // Half of the time nothing happens; otherwise some stream, this one or another, goes on.
    if (random() % 2) return;
    auto some = std::next(streams.begin(), random() % streams.size())->second;
    some->run(some->done + random() % (some->queued - some->done + 1));
}

// Memory that ends where an inaccessible page begins, up to the 256 bytes that CUDA aligns to.
static char *allocate(size_t bytes) {
    size_t size = (bytes + PAGE - 1) / PAGE * PAGE;
    void *memory = mmap(nullptr, size + PAGE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    mprotect((char *)memory + size, PAGE, PROT_NONE);
    memset(memory, FRESH, size);
    return (char *)memory + (size - bytes) / 256 * 256;
}

static bool release(std::map<char *, size_t> &owner, char *address) {
    auto found = owner.find(address);
    if (found == owner.end()) return false;
    char *start = (char *)((size_t)address / PAGE * PAGE);
    size_t bytes = found->second, size = (bytes + PAGE - 1) / PAGE * PAGE;
    for (char *at = address + bytes; at < start + size; at++)
        if ((unsigned char)*at != FRESH) stop("something wrote past the end", "an allocation");
    munmap(start, size + PAGE);
    owner.erase(found);
    return true;
}

// Whether a range lies in one allocation.
static bool within(const std::map<char *, size_t> &owner, const void *address, size_t bytes) {
    auto next = owner.upper_bound((char *)address);
    if (next == owner.begin()) return false;
    auto own = std::prev(next);
    return (char *)address + bytes <= own->first + own->second;
}

API cuInit(unsigned) {
    CALL;
    return SUCCESS;
}
API cuDriverGetVersion(int *version) {
    CALL;
    return *version = 13000, SUCCESS;
}
API cuGetErrorName(int error, const char **text) {
    switch (error) {
        case SUCCESS: *text = "CUDA_SUCCESS"; break;
        case INVALID_VALUE: *text = "CUDA_ERROR_INVALID_VALUE"; break;
        case OUT_OF_MEMORY: *text = "CUDA_ERROR_OUT_OF_MEMORY"; break;
        case INVALID_IMAGE: *text = "CUDA_ERROR_INVALID_IMAGE"; break;
        case INVALID_CONTEXT: *text = "CUDA_ERROR_INVALID_CONTEXT"; break;
        case NOT_FOUND: *text = "CUDA_ERROR_NOT_FOUND"; break;
        case NOT_READY: *text = "CUDA_ERROR_NOT_READY"; break;
        default: return INVALID_VALUE;
    }
    return SUCCESS;
}
API cuGetErrorString(int error, const char **text) { return cuGetErrorName(error, text); }

// The device.

API cuDeviceGetCount(int *count) {
    CALL;
    return *count = GPUS, SUCCESS;
}
API cuDeviceGet(int *device, int index) {
    CALL;
    return *device = index, index < GPUS ? SUCCESS : INVALID_VALUE;
}
API cuDeviceGetAttribute(int *value, int attribute, int) {
    CALL;
    switch (attribute) {
        case 16: *value = MULTIPROCESSORS; break;
        case 75: *value = 9; break; // compute capability, major
        case 76: *value = 0; break;
        case 97: *value = MOST_SHARED; break;
        default: return INVALID_VALUE;
    }
    return SUCCESS;
}
API cuDeviceGetName(char *name, int length, int) {
    CALL;
    return snprintf(name, length, "Software CUDA"), SUCCESS;
}
API cuDeviceGetUuid_v2(char *uuid, int device) {
    CALL;
    return snprintf(uuid, 16, "software %6d", device), SUCCESS;
}
API cuDeviceTotalMem_v2(size_t *bytes, int) {
    CALL;
    return *bytes = MEMORY, SUCCESS;
}
API cuDevicePrimaryCtxSetFlags_v2(int, unsigned) {
    CALL;
    return SUCCESS;
}

// Everything that belongs to the context.
static long live() {
    return device_memory.size() + page_locked.size() + streams.size() + events.size() +
           modules.size();
}

static long retained = 0, leaked = 0;
API cuDevicePrimaryCtxRetain(void **context, int) {
    CALL;
    retained++;
    return *context = &blocks, SUCCESS;
}
// The last one that gives the context up destroys it, with what is left in it. What a device that
// was not lost has left is counted.
API cuDevicePrimaryCtxRelease_v2(int) {
    LOCK;
    if (retained == 0) return INVALID_CONTEXT;
    if (--retained > 0) return SUCCESS;
    if (!faults.lost) leaked += live();
    for (auto &stream : streams) stream.second->queue.clear();
    streams.clear();
    while (!device_memory.empty()) release(device_memory, device_memory.begin()->first);
    while (!page_locked.empty()) release(page_locked, page_locked.begin()->first);
    for (auto event : events) delete event;
    events.clear();
    for (auto module : modules) delete module;
    modules.clear();
    used = 0;
    faults.lost = 0;
    return SUCCESS;
}
API cuCtxSetCurrent(void *context) {
    LOCK;
    return current_context = context, SUCCESS;
}

// For tests: what fails next (none for a negative number); the number of calls so far; what is
// live; what was left in contexts that were destroyed.
API software_cuda_fail(long after, int code, int loses) {
    LOCK;
    faults.left = after, faults.code = code, faults.loses = loses;
    return SUCCESS;
}
#define COUNT extern "C" __attribute__((visibility("default"))) long
COUNT software_cuda_calls() {
    LOCK;
    return faults.calls;
}
COUNT software_cuda_live() {
    LOCK;
    return live();
}
COUNT software_cuda_leaked() {
    LOCK;
    return leaked;
}

// Memory.

API cuMemGetInfo_v2(size_t *free, size_t *total) {
    NEED_CONTEXT;
    *free = MEMORY - used;
    *total = MEMORY;
    return SUCCESS;
}
API cuMemAlloc_v2(char **address, size_t bytes) {
    NEED_CONTEXT;
    if (bytes == 0) return INVALID_VALUE;
    if (bytes > MEMORY - used || !(*address = allocate(bytes))) return OUT_OF_MEMORY;
    device_memory[*address] = bytes;
    used += bytes;
    return SUCCESS;
}
API cuMemFree_v2(char *address) {
    RELEASE;
    size_t bytes = device_memory.count(address) ? device_memory[address] : 0;
    if (!release(device_memory, address)) return INVALID_VALUE;
    used -= bytes;
    return SUCCESS;
}
API cuMemHostAlloc(char **address, size_t bytes, unsigned) {
    NEED_CONTEXT;
    if (bytes == 0 || !(*address = allocate(bytes))) return OUT_OF_MEMORY;
    page_locked[*address] = bytes;
    return SUCCESS;
}
API cuMemFreeHost(char *address) {
    RELEASE;
    return release(page_locked, address) ? SUCCESS : INVALID_VALUE;
}
API cuPointerGetAttribute(unsigned *value, int attribute, void *address) {
    CALL;
    constexpr int MEMORY_TYPE = 2, HOST = 1, DEVICE = 2;
    if (attribute != MEMORY_TYPE) return INVALID_VALUE;
    if (within(page_locked, address, 1)) return *value = HOST, SUCCESS;
    if (within(device_memory, address, 1)) return *value = DEVICE, SUCCESS;
    return INVALID_VALUE;
}

// Streams and events.

API cuCtxGetStreamPriorityRange(int *least, int *greatest) {
    CALL;
    return *least = 0, *greatest = -5, SUCCESS;
}
API cuStreamCreateWithPriority(Stream **stream, unsigned, int) {
    NEED_CONTEXT;
    auto made = std::make_shared<Stream>();
    streams[*stream = made.get()] = made;
    return SUCCESS;
}
API cuStreamCreate(Stream **stream, unsigned flags) {
    // Counted there.
    return cuStreamCreateWithPriority(stream, flags, 0);
}
API cuStreamSynchronize(Stream *stream) {
    CALL;
    stream->run(stream->queued);
    return SUCCESS;
}
API cuStreamDestroy_v2(Stream *stream) {
    RELEASE;
    stream->run(stream->queued);
    streams.erase(stream);
    return SUCCESS;
}
API cuEventCreate(Event **event, unsigned) {
    NEED_CONTEXT;
    events.insert(*event = new Event);
    return SUCCESS;
}
API cuEventRecord(Event *event, Stream *stream) {
    CALL;
    auto mark = std::make_shared<Mark>(Mark{streams.at(stream), stream->queued + 1});
    event->mark = mark;
    enqueue(streams.at(stream), [mark] { mark->time = now(); });
    return SUCCESS;
}
API cuStreamWaitEvent(Stream *stream, Event *event, unsigned) {
    CALL;
    // An event that was never recorded holds nobody up.
    if (auto mark = event->mark)
        enqueue(streams.at(stream), [mark] { mark->stream->run(mark->at); });
    return SUCCESS;
}
API cuEventSynchronize(Event *event) {
    CALL;
    if (auto mark = event->mark) mark->stream->run(mark->at);
    return SUCCESS;
}
API cuEventElapsedTime(float *milliseconds, Event *start, Event *end) {
    CALL;
    if (!start->mark || !end->mark) return INVALID_VALUE;
    if (start->mark->time < 0 || end->mark->time < 0) return NOT_READY;
    *milliseconds = end->mark->time - start->mark->time;
    return SUCCESS;
}
API cuEventDestroy_v2(Event *event) {
    RELEASE;
    events.erase(event);
    delete event;
    return SUCCESS;
}

API cuMemsetD8Async(char *to, unsigned char value, size_t bytes, Stream *stream) {
    NEED_CONTEXT;
    if (!within(device_memory, to, bytes)) return INVALID_VALUE;
    enqueue(streams.at(stream), [=] { memset(to, value, bytes); });
    return SUCCESS;
}
API cuMemcpyHtoDAsync_v2(char *to, const char *from, size_t bytes, Stream *stream) {
    NEED_CONTEXT;
    if (!within(device_memory, to, bytes)) return INVALID_VALUE;
    if (within(page_locked, from, bytes)) {
        enqueue(streams.at(stream), [=] { memcpy(to, from, bytes); });
    } else { // The driver has read pageable memory when the call returns.
        std::string copy(from, bytes);
        enqueue(streams.at(stream), [=] { memcpy(to, copy.data(), bytes); });
    }
    return SUCCESS;
}
API cuMemcpyDtoHAsync_v2(char *to, const char *from, size_t bytes, Stream *stream) {
    NEED_CONTEXT;
    if (!within(device_memory, from, bytes)) return INVALID_VALUE;
    enqueue(streams.at(stream), [=] { memcpy(to, from, bytes); });
    // The driver has written pageable memory when the call returns.
    if (!within(page_locked, to, bytes)) stream->run(stream->queued);
    return SUCCESS;
}

// Modules and launches.

// The length of a shared object: to the end of its section headers or its last section.
static size_t image_length(const char *image) {
    auto *header = (const Elf64_Ehdr *)image;
    auto *sections = (const Elf64_Shdr *)(image + header->e_shoff);
    size_t length = header->e_shoff + header->e_shnum * sizeof *sections;
    for (int i = 0; i < header->e_shnum; i++)
        if (sections[i].sh_type != SHT_NOBITS)
            length = std::max<size_t>(length, sections[i].sh_offset + sections[i].sh_size);
    return length;
}

static Range section(void *library, const char *start, const char *stop) {
    auto *begin = (unsigned char *)dlsym(library, start);
    auto *end = (unsigned char *)dlsym(library, stop);
    return begin && end ? Range{begin, size_t(end - begin)} : Range{};
}

API cuModuleLoadData(Module **module, const char *image) {
    NEED_CONTEXT;
    // A real cubin is an ELF file too, for another machine.
    if (memcmp(image, ELFMAG, SELFMAG) || ((const Elf64_Ehdr *)image)->e_type != ET_DYN)
        return INVALID_IMAGE;
    char path[] = "/tmp/software-cuda-XXXXXX";
    int file = mkstemp(path);
    if (file < 0) return INVALID_IMAGE;
    size_t length = image_length(image);
    bool written = write(file, image, length) == ssize_t(length);
    close(file);
    void *library = written ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : nullptr;
    unlink(path);
    if (!library) {
        fprintf(stderr, "software CUDA: %s\n", written ? dlerror() : "cannot write to /tmp");
        return INVALID_IMAGE;
    }
    *(Device **)dlsym(library, "software_device") = &blocks.device;
    modules.insert(*module = new Module{library, {}});
    return SUCCESS;
}
API cuModuleGetFunction(Kernel **kernel, Module *module, const char *name) {
    NEED_CONTEXT;
    void *library = module->library;
    auto *entry = (const KernelEntry *)dlsym(library, ("software_" + std::string(name)).c_str());
    if (!entry) return NOT_FOUND;
    auto fixed = section(library, "__start_static_shared", "__stop_static_shared");
    auto dynamic = section(library, "__start_dynamic_shared", "__stop_dynamic_shared");
    auto made = module->kernels.emplace(name, Kernel{name, entry, USUAL_SHARED, fixed, dynamic});
    *kernel = &made.first->second;
    return SUCCESS;
}
API cuFuncSetAttribute(Kernel *kernel, int attribute, int value) {
    NEED_CONTEXT;
    constexpr int MOST_DYNAMIC_SHARED = 8, SHARED_CARVEOUT = 9;
    // What is left for L1 makes no difference here.
    if (attribute == SHARED_CARVEOUT && value >= 0 && value <= 100) return SUCCESS;
    if (attribute != MOST_DYNAMIC_SHARED || unsigned(value) > MOST_SHARED) return INVALID_VALUE;
    kernel->allowed_shared = std::max<unsigned>(value, USUAL_SHARED);
    return SUCCESS;
}
API cuModuleUnload(Module *module) {
    RELEASE;
    for (auto &stream : streams) stream.second->run(stream.second->queued);
    dlclose(module->library);
    modules.erase(module);
    delete module;
    return SUCCESS;
}

API cuLaunchKernel(Kernel *kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                   Stream *stream, void **arguments, void **) {
    NEED_CONTEXT;
    bool fits = grid_x && grid_y * grid_z * block_y * block_z == 1 && block_x &&
                block_x <= kernel->entry->most_threads && shared <= kernel->allowed_shared;
    if (!fits) return INVALID_VALUE;
    // The driver copies arguments before it returns.
    std::vector<std::string> values;
    for (auto *size = kernel->entry->argument_sizes; *size; size++, arguments++)
        values.emplace_back((char *)*arguments, *size);
    enqueue(streams.at(stream), [=]() mutable {
        std::vector<void *> pointers;
        for (auto &value : values) pointers.push_back(value.data());
        auto dynamic = kernel->dynamic_shared;
        dynamic.size = std::min<size_t>(dynamic.size, shared + 1024);
        blocks.run(Launch{kernel->name.c_str(), kernel->entry, pointers.data(), grid_x, block_x,
                          shared, kernel->static_shared, dynamic});
    });
    return SUCCESS;
}
