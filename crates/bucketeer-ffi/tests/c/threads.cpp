// Eight threads at once through the C++ classes: runs over shared bases that one of them frees,
// jobs that are waited for, cancelled and dropped, errors of one thread that others do not see.
#include <array>
#include <atomic>
#include <bucketeer.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <optional>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

using Point = std::array<unsigned char, 64>;
constexpr auto kForm = BUCKETEER_FORM_LITTLE_ENDIAN;

static std::atomic<int> passed{0};

static void check(bool condition, const char* what) {
  if (!condition) {
    std::fprintf(stderr, "failed: %s\n", what);
    std::exit(1);
  }
  passed++;
}

static BucketeerStatus status_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const bucketeer::Error& error) {
    check(std::strlen(error.what()) > 0, "a message");
    return error.status();
  }
  return BUCKETEER_STATUS_OK;
}

// Freed after main, when the values of its thread are gone: the library used to abort.
static std::optional<bucketeer::Bases> kept;

// Freeing a job cancels it for those who wait for it, too.
static void freed_while_another_thread_waits(const bucketeer::Device& device) {
  Point generator{};
  generator[0] = 1, generator[32] = 2;
  const std::vector<Point> points(1 << 15, generator);
  std::vector<std::array<unsigned char, 32>> factors(points.size());
  for (size_t i = 0; i < factors.size(); i++) {
    for (size_t j = 0; j < 31; j++) factors[i][j] = static_cast<unsigned char>(i * 31 + j * j + 1);
  }
  const bucketeer::Bases bases(device, "bn254", bucketeer::points(points, kForm));
  BucketeerStatus end = BUCKETEER_STATUS_OK;
  // The thread may come too late, or the job may have ended.
  for (int round = 0; round < 50 && end != BUCKETEER_STATUS_CANCELLED; round++) {
    std::optional<bucketeer::Job<Point>> job(
        bases.submit<Point>(bucketeer::scalars(factors, kForm)));
    std::atomic<bool> started{false};
    std::thread waiting([&, handle = job->get()] {
      Point sum{};
      started = true;
      end = bucketeer_job_wait(handle, kForm, &sum, sizeof sum);
    });
    while (!started) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::microseconds(100 * round));
    job.reset();
    waiting.join();
  }
  check(end == BUCKETEER_STATUS_CANCELLED, "a job that is freed is cancelled");
}

// A child that was forked has none of the library's threads, and used to wait for them for ever.
static void forked(const bucketeer::Bases& bases, const std::vector<int64_t>& factors) {
  const pid_t child = fork();
  if (child == 0) {
    const auto status = status_of([&] { bases.msm<Point>(bucketeer::integers(factors)); });
    _exit(status == BUCKETEER_STATUS_DEVICE_FAILED ? 0 : 1);
  }
  int status = 1;
  check(waitpid(child, &status, 0) == child && status == 0, "a forked process");
}

int main() {
  Point generator{};
  generator[0] = 1, generator[32] = 2;
  const std::vector<Point> points(1000, generator);
  const bucketeer::Device device("cpu");
  check(!device.describe().empty(), "a description");
  std::optional<bucketeer::Bases> shared(std::in_place, device, "bn254",
                                         bucketeer::points(points, kForm));
  check(shared->size() == 1000, "all bases");
  const BucketeerBases handle = shared->get();

  // Sums of ones: equal numbers of them give equal points.
  const std::vector<int64_t> ones(1000, 1), minus(1000, -1);
  const Point expected = shared->msm<Point>(bucketeer::integers(ones), 0, kForm);
  const Point opposite = shared->msm<Point>(bucketeer::integers(minus), 0, kForm);
  check(std::memcmp(&expected, &opposite, 32) == 0 && expected != opposite, "P and -P");
  const auto pair = shared->msm_batch<Point>(
      {bucketeer::integers(ones, 2), bucketeer::integers(minus)}, 0, kForm);
  check(pair[0] == expected && pair[1] == opposite, "a batch");
  struct Padded {
    Point point;
    uint64_t more;
  };
  const auto padded = [&] { shared->msm_batch<Padded>({bucketeer::integers(ones)}, 0, kForm); };
  check(status_of(padded) == BUCKETEER_STATUS_INVALID_ARGUMENT, "a Point with padding in a batch");
  const Padded alone = shared->msm<Padded>(bucketeer::integers(ones), 0, kForm);
  check(alone.point == expected && alone.more == 0, "a Point with padding");
  check(bucketeer::msm<Point>(device, "bn128", bucketeer::points(points, kForm),
                              bucketeer::integers(ones), kForm) == expected,
        "one-shot");

  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; thread++) {
    threads.emplace_back([&, thread] {
      const bucketeer::Bases own(device, "bn254", bucketeer::points(points, kForm));
      for (int round = 0; round < 20; round++) {
        check(own.msm<Point>(bucketeer::integers(ones), 0, kForm) == expected, "own bases");
        Point sum{};
        const BucketeerScalars scalars = bucketeer::integers(ones);
        const BucketeerStatus status = bucketeer_msm(handle, 0, &scalars, kForm, &sum, sizeof sum);
        // One thread frees them: from then on the handle names nothing.
        check(status == BUCKETEER_STATUS_OK ? sum == expected
                                            : status == BUCKETEER_STATUS_INVALID_ARGUMENT,
              "shared bases");
        const auto job = own.submit<Point>(bucketeer::integers(ones));
        std::vector<std::thread> waiting;
        for (int i = 0; i < 2; i++) {
          waiting.emplace_back([&] { check(job.wait(kForm) == expected, "a job"); });
        }
        for (auto& one : waiting) one.join();
        check(job.finished(), "ended");
        const auto cancelled = own.submit<Point>(bucketeer::integers(ones));
        cancelled.cancel();
        const auto end = status_of([&] { cancelled.wait(); });
        check(end == BUCKETEER_STATUS_OK || end == BUCKETEER_STATUS_CANCELLED, "cancelled");
        (void)own.submit<Point>(bucketeer::integers(ones));  // Dropped while it runs.
        const auto refused = status_of([&] { own.msm<Point>(bucketeer::integers(ones), 500); });
        check(refused == BUCKETEER_STATUS_INVALID_INPUT, "too many scalars");
        if (thread == 0 && round == 10) shared.reset();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  check(status_of([] { bucketeer::Device("abacus"); }) == BUCKETEER_STATUS_INVALID_ARGUMENT,
        "no such device");
  bucketeer::Bases moved(device, "bn254", bucketeer::points(points, kForm));
  bucketeer::Bases target = std::move(moved);
  check(moved.get().id == 0 && target.size() == 1000, "moved");
  target = bucketeer::Bases(device, "bn254", bucketeer::points(points, kForm));
  freed_while_another_thread_waits(device);
  forked(target, ones);
  kept = std::move(target);
  check(target.get().id == 0 && kept->size() == 1000, "moved again");
  std::printf("%d passed, 0 failed\n", passed.load());
}
