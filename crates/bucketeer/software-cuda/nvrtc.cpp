// libnvrtc.so.13 in software: compiles kernels with the system's C++ compiler, for the host.
//
// The "cubin" is a shared object that libcuda.so.1 of this folder loads.
#include <stdlib.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <mutex>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#define API extern "C" __attribute__((visibility("default"))) int

// The text of device.h; the build says where it is.
asm(".pushsection .rodata\ndevice_text: .incbin \"" DEVICE_HEADER "\"\n.byte 0\n.popsection");
extern "C" const char device_text[];

enum Result { SUCCESS = 0, COMPILATION = 6, INTERNAL = 11 };

// A shift by too much, a division by zero and an address that is not aligned stop the process, as
// they are errors on a GPU.
static const std::string COMPILER =
    "c++ -std=c++17 -O2 -w -shared -fPIC -fno-strict-aliasing -Wl,-z,nostart-stop-gc "
    "-fsanitize=alignment,shift-exponent,integer-divide-by-zero "
    "-fsanitize-undefined-trap-on-error ";

struct Program {
    std::string source, log, image;
    std::vector<std::pair<std::string, std::string>> headers;
};

static std::string read(const std::filesystem::path &path) {
    std::ostringstream out;
    out << std::ifstream(path, std::ios::binary).rdbuf();
    return out.str();
}

// device.h, then the source with arrays of dynamic shared memory of a fixed size, then an entry for
// each kernel.
static std::string for_host(const std::string &source) {
    static const std::regex dynamic("extern __shared__ ([^;]*)\\[\\];"),
        kernel("__global__ void (?:__launch_bounds__\\(([^,)]*)[^)]*\\) )?(\\w+)\\(([^)]*)\\)");
    std::string text = "#include \"device.h\"\n";
    text += std::regex_replace(source, dynamic, "__dynamic_shared__ $1[228 * 1024 / 4];");
    for (std::sregex_iterator at(source.begin(), source.end(), kernel), end; at != end; ++at)
        text += "SOFTWARE_KERNEL(" + at->str(2) + ", " +
                (at->str(1).empty() ? "1024" : at->str(1)) + ", " + at->str(3) + ")\n";
    return text;
}

// The call that fails, or the first of all that do: after `left` others, with `code`.
static std::mutex mutex;
static long left = -1;
static int code = 0;
static bool forever = false;
static int fault() {
    std::lock_guard<std::mutex> lock(mutex);
    if (left < 0 || left > 0) return left -= left > 0, SUCCESS;
    if (!forever) left = -1;
    return code;
}
#define CALL \
    if (int failed = fault()) return failed

// For tests: what fails next, and whether all later ones do; none for a negative number.
API software_nvrtc_fail(long after, int with, int all) {
    std::lock_guard<std::mutex> lock(mutex);
    return left = after, code = with, forever = all, SUCCESS;
}

static int compile(Program &program, const std::filesystem::path &folder) {
    for (auto &header : program.headers) std::ofstream(folder / header.first) << header.second;
    std::ofstream(folder / "device.h") << device_text;
    std::ofstream(folder / "kernels.cpp") << for_host(program.source);
    std::string at = folder.string() + "/";
    std::string files = "-o " + at + "kernels.so " + at + "kernels.cpp >" + at + "log 2>&1";
    int status = system((COMPILER + files).c_str());
    program.log = read(folder / "log");
    program.image = status == 0 ? read(folder / "kernels.so") : "";
    return status == 0 ? SUCCESS : COMPILATION;
}

// Compiled kernels are cached under the compiler's version, so it stands for all of this folder
// that they depend on.
API nvrtcVersion(int *major, int *minor) {
    CALL;
    *major = 13;
    *minor = std::hash<std::string>()(device_text + COMPILER + for_host("")) >> 34;
    return SUCCESS;
}
API nvrtcCreateProgram(Program **program, const char *source, const char *, int count,
                       const char *const *texts, const char *const *names) {
    CALL;
    *program = new Program{source, "", "", {}};
    for (int i = 0; i < count; i++) (*program)->headers.emplace_back(names[i], texts[i]);
    return SUCCESS;
}
API nvrtcCompileProgram(Program *program, int, const char *const *) {
    CALL;
    // The same program again, in tests that compile often, takes no time.
    static std::map<std::string, std::string> compiled;
    std::string text = program->source;
    for (auto &header : program->headers) text += '\0' + header.first + '\0' + header.second;
    {
        std::lock_guard<std::mutex> lock(mutex);
        auto known = compiled.find(text);
        if (known != compiled.end()) return program->image = known->second, SUCCESS;
    }
    char folder[] = "/tmp/software-nvrtc-XXXXXX";
    if (!mkdtemp(folder)) return INTERNAL;
    int result = compile(*program, folder);
    std::filesystem::remove_all(folder);
    std::lock_guard<std::mutex> lock(mutex);
    if (result == SUCCESS) compiled[text] = program->image;
    return result;
}
API nvrtcGetCUBINSize(Program *program, size_t *size) {
    CALL;
    return *size = program->image.size(), SUCCESS;
}
API nvrtcGetCUBIN(Program *program, char *to) {
    CALL;
    return memcpy(to, program->image.data(), program->image.size()), SUCCESS;
}
API nvrtcGetProgramLogSize(Program *program, size_t *size) {
    CALL;
    return *size = program->log.size() + 1, SUCCESS;
}
API nvrtcGetProgramLog(Program *program, char *to) {
    CALL;
    return memcpy(to, program->log.c_str(), program->log.size() + 1), SUCCESS;
}
API nvrtcDestroyProgram(Program **program) {
    int failed = fault(); // It is gone all the same.
    return delete *program, *program = nullptr, failed;
}
extern "C" __attribute__((visibility("default"))) const char *nvrtcGetErrorString(int result) {
    switch (result) {
        case SUCCESS: return "NVRTC_SUCCESS";
        case COMPILATION: return "NVRTC_ERROR_COMPILATION";
        default: return "NVRTC_ERROR_INTERNAL_ERROR";
    }
}
