/* The vectors of examples/vectors.rs through every function that computes: bucketeer_msm, a batch,
 * a job, one-shot; in place, at odd addresses and with gaps; with a table and on one thread. */
#include <bucketeer.h>
#include <string.h>

#include "check.h"

static unsigned char *unhex(const char *text, size_t *length) {
  *length = strlen(text) / 2;
  unsigned char *bytes = malloc(*length);
  for (size_t i = 0; i < *length; i++) {
    unsigned value = 256;
    if (sscanf(text + 2 * i, "%2x", &value) != 1) abort();
    bytes[i] = (unsigned char)value;
  }
  return bytes;
}

/* Copies elements apart, from an odd address on. */
static unsigned char *apart(const unsigned char *bytes, size_t count, size_t size, size_t gap) {
  unsigned char *out = malloc(1 + count * (size + gap));
  memset(out, 0xee, 1 + count * (size + gap));
  for (size_t i = 0; i < count; i++) memcpy(out + 1 + i * (size + gap), bytes + i * size, size);
  return out;
}

static void run(BucketeerDevice device, const char *curve, uint32_t form, size_t n,
                unsigned char *const parts[5]) {
  unsigned char *const *factors = parts + 1, *const *expected = parts + 3;
  BucketeerLayout layout;
  CHECK(bucketeer_curve_layout(curve, &layout) == BUCKETEER_STATUS_OK);
  CHECK(layout.point_bytes == 2 * layout.component_bytes * layout.components);
  const size_t size = layout.point_bytes, scalar = layout.scalar_bytes;
  const BucketeerPoints points = {.data = parts[0], .count = n, .form = form};
  const BucketeerScalars scalars[2] = {{.data = factors[0], .count = n, .form = form},
                                       {.data = factors[1], .count = n, .form = form}};
  unsigned char *sum = malloc(2 * size);

  const BucketeerOptions options[2] = {{0}, {.precompute = 3, .check_subgroup = 1}};
  for (int with = 0; with < 2; with++) {
    BucketeerBases bases;
    CHECK(!bucketeer_bases_load(device, curve, &points, &options[with], &bases));
    for (int i = 0; i < 2; i++) {
      CHECK(!bucketeer_msm(bases, 0, &scalars[i], form, sum, size));
      CHECK(memcmp(sum, expected[i], size) == 0);
    }
    CHECK(!bucketeer_msm_batch(bases, 0, scalars, 2, form, sum, 2 * size));
    CHECK(memcmp(sum, expected[0], size) == 0 && memcmp(sum + size, expected[1], size) == 0);

    BucketeerJob job;
    CHECK(!bucketeer_submit(bases, 0, &scalars[0], &job));
    CHECK(!bucketeer_bases_free(bases));
    for (int again = 0; again < 2; again++) {
      memset(sum, 0, size);
      CHECK(!bucketeer_job_wait(job, form, sum, size));
      CHECK(memcmp(sum, expected[0], size) == 0);
    }
    CHECK(!bucketeer_job_free(job));
  }

  unsigned char *far_points = apart(parts[0], n, size, 9);
  unsigned char *far_scalars = apart(factors[0], n, scalar, 5);
  const BucketeerPoints strided = {
      .data = far_points + 1, .count = n, .stride = size + 9, .form = form, .trusted = 1};
  const BucketeerScalars spread = {
      .data = far_scalars + 1, .count = n, .stride = scalar + 5, .form = form};
  CHECK(!bucketeer_msm_once(device, curve, &strided, &spread, NULL, form, sum, size));
  CHECK(memcmp(sum, expected[0], size) == 0);

  /* The bases from the second on: the first scalar is zero. */
  BucketeerBases bases;
  CHECK(!bucketeer_bases_load(device, curve, &strided, NULL, &bases));
  const BucketeerScalars rest = {.data = factors[0] + scalar, .count = n - 1, .form = form};
  CHECK(!bucketeer_msm(bases, 1, &rest, form, sum, size));
  CHECK(memcmp(sum, expected[0], size) == 0);
  CHECK(!bucketeer_bases_free(bases));
  free(far_points);
  free(far_scalars);
  free(sum);
}

int main(int count, char **arguments) {
  CHECK(count == 3);
  FILE *file = fopen(arguments[1], "r");
  CHECK(file != NULL);
  BucketeerDevice device;
  CHECK(!bucketeer_device_open(arguments[2], 0, &device));
  static char line[1 << 20], curve[64], fields[5][1 << 17];
  int lines = 0;
  while (fgets(line, sizeof line, file)) {
    unsigned form;
    size_t n;
    CHECK(sscanf(line, "%63s %u %zu %131071s %131071s %131071s %131071s %131071s", curve, &form, &n,
                 fields[0], fields[1], fields[2], fields[3], fields[4]) == 8);
    unsigned char *parts[5];
    size_t length;
    for (int i = 0; i < 5; i++) parts[i] = unhex(fields[i], &length);
    run(device, curve, form, n, parts);
    for (int i = 0; i < 5; i++) free(parts[i]);
    lines++;
  }
  fclose(file);
  CHECK((size_t)lines == 3 * bucketeer_curve_count());
  CHECK(!bucketeer_device_close(device));
  CHECK(!bucketeer_release_workspaces());
  printf("%d MSM vectors, %d passed, 0 failed\n", lines, checks_passed);
  return 0;
}
