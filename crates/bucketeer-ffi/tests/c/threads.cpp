// Eight threads at once through the C++ classes: runs over shared bases that one of them frees,
// jobs that are waited for, cancelled and dropped, errors of one thread that others do not see.
#include <array>
#include <atomic>
#include <bucketeer.hpp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <optional>
#include <thread>

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
  std::printf("%d passed, 0 failed\n", passed.load());
}
