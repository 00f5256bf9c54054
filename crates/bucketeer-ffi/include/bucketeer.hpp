// C++17 classes over bucketeer.h: handles that free themselves, statuses that are exceptions.
//
//   bucketeer::Device device("auto");
//   bucketeer::Bases bases(device, "bn254", bucketeer::points(keys));
//   Point sum = bases.msm<Point>(bucketeer::scalars(witness));
//
// points() and scalars() take any container of trivially copyable elements in contiguous memory, in
// Montgomery form unless another form is named. Everything may be used from several threads.

#ifndef BUCKETEER_HPP
#define BUCKETEER_HPP

#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "bucketeer.h"

namespace bucketeer {

// A status that is not OK, with the library's message.
class Error : public std::runtime_error {
 public:
  Error(BucketeerStatus status, const std::string& message)
      : std::runtime_error(message), status_(status) {}

  BucketeerStatus status() const noexcept { return status_; }

 private:
  BucketeerStatus status_;
};

// Throws if a call failed.
inline void check(BucketeerStatus status) {
  if (status != BUCKETEER_STATUS_OK) throw Error(status, bucketeer_last_error());
}

namespace detail {

template <class Container>
using Element = std::remove_cv_t<std::remove_pointer_t<decltype(std::declval<Container>().data())>>;

// A handle that one object owns.
template <class Handle, BucketeerStatus (*free_handle)(Handle)>
class Owned {
 public:
  Owned() noexcept : handle_{0} {}
  Owned(Owned&& other) noexcept : handle_(std::exchange(other.handle_, Handle{0})) {}
  Owned& operator=(Owned&& other) noexcept {
    Owned taken(std::move(other));
    std::swap(handle_, taken.handle_);
    return *this;
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() { free_handle(handle_); }

  // The handle, for the functions of bucketeer.h.
  Handle get() const noexcept { return handle_; }

 protected:
  Handle handle_;
};

}  // namespace detail

// Points of a container. Each element begins with a point; what follows in it is skipped if the
// element is larger, and the library refuses one that is smaller.
template <class Container>
BucketeerPoints points(const Container& container, BucketeerForm form = BUCKETEER_FORM_MONTGOMERY) {
  using Element = detail::Element<Container>;
  static_assert(std::is_trivially_copyable_v<Element>, "points must be trivially copyable");
  return {container.data(), container.size(), sizeof(Element), static_cast<uint32_t>(form), 0};
}

// Residues of a container, each of as many bytes as a scalar of the curve has.
template <class Container>
BucketeerScalars scalars(const Container& container,
                         BucketeerForm form = BUCKETEER_FORM_MONTGOMERY) {
  using Element = detail::Element<Container>;
  static_assert(std::is_trivially_copyable_v<Element>, "scalars must be trivially copyable");
  return {container.data(), container.size(), sizeof(Element), static_cast<uint32_t>(form), 0, 0, 0};
}

// Integers of a container; `bits` is a bound on them, 0 for that of their type.
template <class Container>
BucketeerScalars integers(const Container& container, uint32_t bits = 0) {
  using Element = detail::Element<Container>;
  static_assert(std::is_integral_v<Element>, "integers");
  const auto form =
      std::is_signed_v<Element> ? BUCKETEER_FORM_SIGNED : BUCKETEER_FORM_UNSIGNED;
  return {container.data(), container.size(), 0, static_cast<uint32_t>(form), sizeof(Element), bits,
          0};
}

// A processor to run on.
class Device : public detail::Owned<BucketeerDevice, bucketeer_device_close> {
 public:
  explicit Device(const std::string& name = "auto", uint32_t threads = 0) {
    check(bucketeer_device_open(name.c_str(), threads, &handle_));
  }

  std::string describe() const {
    size_t needed = 0;
    check(bucketeer_device_describe(handle_, nullptr, 0, &needed));
    std::string text(needed, '\0');
    check(bucketeer_device_describe(handle_, text.data(), needed, nullptr));
    text.pop_back();
    return text;
  }
};

// An MSM in the background. A job that goes out of scope is cancelled.
template <class Point>
class Job : public detail::Owned<BucketeerJob, bucketeer_job_free> {
 public:
  explicit Job(BucketeerJob job) { handle_ = job; }

  Point wait(BucketeerForm form = BUCKETEER_FORM_MONTGOMERY) const {
    Point sum{};
    check(bucketeer_job_wait(handle_, form, &sum, sizeof sum));
    return sum;
  }

  bool finished() const {
    uint32_t finished = 0;
    check(bucketeer_job_is_finished(handle_, &finished));
    return finished != 0;
  }

  void cancel() const { check(bucketeer_job_cancel(handle_)); }
};

// Bases on a device.
class Bases : public detail::Owned<BucketeerBases, bucketeer_bases_free> {
 public:
  Bases(const Device& device, const std::string& curve, const BucketeerPoints& points,
        const BucketeerOptions& options = {}) {
    BucketeerLayout layout;
    check(bucketeer_curve_layout(curve.c_str(), &layout));
    point_bytes_ = layout.point_bytes;
    check(bucketeer_bases_load(device.get(), curve.c_str(), &points, &options, &handle_));
  }

  size_t size() const {
    size_t count = 0;
    check(bucketeer_bases_count(handle_, &count));
    return count;
  }

  // The sum over as many bases as there are scalars, from base `first` on.
  template <class Point>
  Point msm(const BucketeerScalars& scalars, size_t first = 0,
            BucketeerForm form = BUCKETEER_FORM_MONTGOMERY) const {
    static_assert(std::is_trivially_copyable_v<Point>, "a point must be trivially copyable");
    Point sum{};
    check(bucketeer_msm(handle_, first, &scalars, form, &sum, sizeof sum));
    return sum;
  }

  // One sum for each element of the batch. A Point is exactly as large as a point of the curve;
  // another one is an error.
  template <class Point>
  std::vector<Point> msm_batch(const std::vector<BucketeerScalars>& batch, size_t first = 0,
                               BucketeerForm form = BUCKETEER_FORM_MONTGOMERY) const {
    static_assert(std::is_trivially_copyable_v<Point>, "a point must be trivially copyable");
    if (sizeof(Point) != point_bytes_) {
      throw Error(BUCKETEER_STATUS_INVALID_ARGUMENT,
                  "a Point has " + std::to_string(sizeof(Point)) + " bytes, one of the curve " +
                      std::to_string(point_bytes_));
    }
    std::vector<Point> sums(batch.size());
    check(bucketeer_msm_batch(handle_, first, batch.data(), batch.size(), form, sums.data(),
                              sums.size() * sizeof(Point)));
    return sums;
  }

  template <class Point>
  Job<Point> submit(const BucketeerScalars& scalars, size_t first = 0) const {
    BucketeerJob job{0};
    check(bucketeer_submit(handle_, first, &scalars, &job));
    return Job<Point>(job);
  }

 private:
  size_t point_bytes_;
};

// One MSM over points that are not kept.
template <class Point>
Point msm(const Device& device, const std::string& curve, const BucketeerPoints& points,
          const BucketeerScalars& scalars, BucketeerForm form = BUCKETEER_FORM_MONTGOMERY) {
  static_assert(std::is_trivially_copyable_v<Point>, "a point must be trivially copyable");
  Point sum{};
  check(bucketeer_msm_once(device.get(), curve.c_str(), &points, &scalars, nullptr, form, &sum,
                           sizeof sum));
  return sum;
}

}  // namespace bucketeer

#endif  // BUCKETEER_HPP
