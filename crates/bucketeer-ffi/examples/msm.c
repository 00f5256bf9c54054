/* 3·G + 4·G on BN254, G = (1, 2), from bytes and back.
 * cc msm.c $(pkg-config --cflags --libs bucketeer) && ./a.out */
#include <bucketeer.h>
#include <stdio.h>

int main(void) {
  unsigned char points[2][64] = {{0}}, sum[64];
  unsigned char scalars[2] = {3, 4};
  for (int i = 0; i < 2; i++) points[i][31] = 1, points[i][63] = 2;

  BucketeerDevice device;
  BucketeerBases bases;
  BucketeerPoints given = {.data = points, .count = 2, .form = BUCKETEER_FORM_BIG_ENDIAN};
  BucketeerScalars factors = {
      .data = scalars, .count = 2, .form = BUCKETEER_FORM_UNSIGNED, .size = 1};
  if (bucketeer_device_open("auto", 0, &device) ||
      bucketeer_bases_load(device, "bn254", &given, NULL, &bases) ||
      bucketeer_msm(bases, 0, &factors, BUCKETEER_FORM_BIG_ENDIAN, sum, sizeof sum)) {
    fprintf(stderr, "%s\n", bucketeer_last_error());
    return 1;
  }
  for (int i = 0; i < 64; i++) printf("%02x%s", sum[i], i % 32 == 31 ? "\n" : "");
  bucketeer_bases_free(bases);
  bucketeer_device_close(device);
  return 0;
}
