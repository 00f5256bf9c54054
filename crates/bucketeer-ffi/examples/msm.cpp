// The same as msm.c: 3·G + 4·G on BN254, G = (1, 2).
// c++ -std=c++17 msm.cpp $(pkg-config --cflags --libs bucketeer) && ./a.out
#include <array>
#include <bucketeer.hpp>
#include <cstdio>

using Point = std::array<unsigned char, 64>;

int main() try {
  Point generator{};
  generator[31] = 1, generator[63] = 2;
  const std::vector<Point> points{generator, generator};
  const std::vector<uint8_t> factors{3, 4};

  bucketeer::Device device;
  bucketeer::Bases bases(device, "bn254", bucketeer::points(points, BUCKETEER_FORM_BIG_ENDIAN));
  const auto sum =
      bases.msm<Point>(bucketeer::integers(factors), 0, BUCKETEER_FORM_BIG_ENDIAN);
  for (size_t i = 0; i < 64; i++) std::printf("%02x%s", sum[i], i % 32 == 31 ? "\n" : "");
} catch (const bucketeer::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
