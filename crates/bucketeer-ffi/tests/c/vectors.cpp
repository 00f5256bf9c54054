// The vectors of examples/vectors.rs through every class that computes: Bases, a batch, a Job, one
// call; with infinities and zero scalars on every curve, in every form.
#include <array>
#include <bucketeer.hpp>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>

static int passed = 0;

static void check(bool condition, const std::string& what) {
  if (!condition) {
    std::fprintf(stderr, "failed: %s\n", what.c_str());
    std::exit(1);
  }
  passed++;
}

// The elements of a line of hexadecimal digits.
template <class Element>
std::vector<Element> elements(const std::string& hex) {
  std::vector<Element> elements(hex.size() / 2 / sizeof(Element));
  for (size_t i = 0; i < hex.size() / 2; i++) {
    const auto byte = std::stoul(hex.substr(2 * i, 2), nullptr, 16);
    elements[i / sizeof(Element)][i % sizeof(Element)] = static_cast<unsigned char>(byte);
  }
  return elements;
}

struct Line {
  std::string curve, points, factors[2], sums[2];
  int number;
  size_t n;
};

template <size_t point_bytes, size_t scalar_bytes>
void run(const bucketeer::Device& device, const Line& line) {
  using Point = std::array<unsigned char, point_bytes>;
  using Scalar = std::array<unsigned char, scalar_bytes>;
  const auto form = static_cast<BucketeerForm>(line.number);
  const auto points = elements<Point>(line.points);
  check(points.size() == line.n, line.curve + ", points");
  std::vector<BucketeerScalars> batch;
  std::vector<Scalar> factors[2];
  std::vector<Point> expected;
  for (int i = 0; i < 2; i++) {
    factors[i] = elements<Scalar>(line.factors[i]);
    batch.push_back(bucketeer::scalars(factors[i], form));
    expected.push_back(elements<Point>(line.sums[i])[0]);
  }
  const bucketeer::Bases bases(device, line.curve, bucketeer::points(points, form));
  const auto job = bases.submit<Point>(batch[0]);
  check(bases.msm<Point>(batch[0], 0, form) == expected[0], line.curve);
  check(bases.msm<Point>(batch[1], 0, form) == expected[1], line.curve + ", zero scalars");
  check(bases.msm_batch<Point>(batch, 0, form) == expected, line.curve + ", a batch");
  check(job.wait(form) == expected[0], line.curve + ", a job");
  const auto once =
      bucketeer::msm<Point>(device, line.curve, bucketeer::points(points, form), batch[1], form);
  check(once == expected[1], line.curve + ", in one call");
}

int main(int count, char** arguments) try {
  check(count == 3, "arguments: the file of vectors and a device");
  const bucketeer::Device device(arguments[2]);
  std::ifstream file(arguments[1]);
  size_t lines = 0;
  for (Line line; file >> line.curve >> line.number >> line.n >> line.points >> line.factors[0] >>
                  line.factors[1] >> line.sums[0] >> line.sums[1];
       lines++) {
    BucketeerLayout layout;
    bucketeer::check(bucketeer_curve_layout(line.curve.c_str(), &layout));
    switch (1000 * layout.point_bytes + layout.scalar_bytes) {
      case 64032: run<64, 32>(device, line); break;
      case 96032: run<96, 32>(device, line); break;
      case 128032: run<128, 32>(device, line); break;
      case 192032: run<192, 32>(device, line); break;
      case 192048: run<192, 48>(device, line); break;
      default: check(false, line.curve + " has sizes of its own");
    }
  }
  check(lines == 3 * bucketeer_curve_count(), "all curves");
  std::printf("%zu MSM vectors, %d passed, 0 failed\n", lines, passed);
} catch (const bucketeer::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
