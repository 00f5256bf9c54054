/* Every function with null and misaligned pointers, wrong lengths, forms, curves and handles: a
 * status each time, a message that says what is wrong, nothing written, and never a crash. */
#include <bucketeer.h>
#include <string.h>

#include "check.h"

#define REFUSED(status, call, text)                       \
  do {                                                    \
    CHECK((call) == BUCKETEER_STATUS_##status);           \
    CHECK(strstr(bucketeer_last_error(), text) != NULL);  \
  } while (0)

static unsigned char storage[256];
#define MISALIGNED(type) ((type *)(void *)(storage + 1))

static const unsigned char generator[64] = {[0] = 1, [32] = 2};
static const unsigned char one[32] = {1};

static void devices(void) {
  BucketeerDevice device = {77};
  REFUSED(INVALID_ARGUMENT, bucketeer_device_open(NULL, 0, &device), "name is null");
  REFUSED(INVALID_ARGUMENT, bucketeer_device_open("cpu", 0, NULL), "out is null");
  REFUSED(INVALID_ARGUMENT, bucketeer_device_open("cpu", 0, MISALIGNED(BucketeerDevice)),
          "out is misaligned");
  REFUSED(INVALID_ARGUMENT, bucketeer_device_open("abacus", 0, &device), "unknown device");
  REFUSED(INVALID_ARGUMENT, bucketeer_device_open("\xff", 0, &device), "UTF-8");
  REFUSED(INVALID_ARGUMENT, bucketeer_device_open("auto", 2, &device), "threads are for cpu");
  REFUSED(NO_DEVICE, bucketeer_device_open("cuda:99", 0, &device), "no device");
  CHECK(device.id == 77);
  REFUSED(INVALID_ARGUMENT, bucketeer_device_close(device), "77 names no device");
  CHECK(!bucketeer_device_close((BucketeerDevice){0}));

  CHECK(!bucketeer_device_open("cpu", 2, &device));
  char text[8];
  size_t needed = 0;
  CHECK(!bucketeer_device_describe(device, NULL, 0, &needed) && needed > 8);
  CHECK(!bucketeer_device_describe(device, text, sizeof text, NULL) && strlen(text) == 7);
  REFUSED(INVALID_ARGUMENT, bucketeer_device_describe(device, NULL, 8, NULL), "out is null");
  REFUSED(INVALID_ARGUMENT, bucketeer_device_describe(device, text, 8, MISALIGNED(size_t)),
          "needed is misaligned");
  CHECK(!bucketeer_device_close(device));
  REFUSED(INVALID_ARGUMENT, bucketeer_device_close(device), "was freed");
  REFUSED(INVALID_ARGUMENT, bucketeer_device_describe(device, text, 8, NULL), "names no device");
}

static void curves(void) {
  BucketeerLayout layout;
  REFUSED(INVALID_ARGUMENT, bucketeer_curve_layout("curve25519", &layout), "unknown curve");
  REFUSED(INVALID_ARGUMENT, bucketeer_curve_layout(NULL, &layout), "curve is null");
  REFUSED(INVALID_ARGUMENT, bucketeer_curve_layout("bn254", NULL), "out is null");
  CHECK(bucketeer_curve_name(bucketeer_curve_count()) == NULL);
  CHECK(bucketeer_curve_name((size_t)-1) == NULL);
  CHECK(strcmp(bucketeer_curve_name(0), "bls12-377-g1") == 0);
  CHECK(strcmp(bucketeer_status_name(99), "unknown status") == 0);
  REFUSED(INVALID_ARGUMENT, bucketeer_curve_layout("bn254", MISALIGNED(BucketeerLayout)),
          "out is misaligned");
  CHECK(strchr(bucketeer_version(), '.') != NULL);
}

static void loading(BucketeerDevice device) {
  BucketeerBases bases = {77};
  BucketeerPoints points = {.data = generator, .count = 1, .form = BUCKETEER_FORM_LITTLE_ENDIAN};
#define LOAD(p, o) bucketeer_bases_load(device, "bn254", p, o, &bases)
  REFUSED(INVALID_ARGUMENT, LOAD(NULL, NULL), "points is null");
  REFUSED(INVALID_ARGUMENT, LOAD(MISALIGNED(BucketeerPoints), NULL), "points is misaligned");
  REFUSED(INVALID_ARGUMENT, LOAD(&points, MISALIGNED(BucketeerOptions)), "options is misaligned");
  REFUSED(INVALID_ARGUMENT, bucketeer_bases_load(device, "bn254", &points, NULL, NULL),
          "out is null");
  REFUSED(INVALID_ARGUMENT,
          bucketeer_bases_load(device, "bn254", &points, NULL, MISALIGNED(BucketeerBases)),
          "out is misaligned");
  REFUSED(INVALID_ARGUMENT, bucketeer_bases_load(device, NULL, &points, NULL, &bases),
          "curve is null");
  REFUSED(INVALID_ARGUMENT, bucketeer_bases_load(device, "", &points, NULL, &bases),
          "unknown curve");
  BucketeerPoints bad = points;
  bad.data = NULL;
  REFUSED(INVALID_ARGUMENT, LOAD(&bad, NULL), "points.data is null");
  bad = points, bad.form = 9;
  REFUSED(INVALID_ARGUMENT, LOAD(&bad, NULL), "9 is not a form");
  bad = points, bad.form = BUCKETEER_FORM_UNSIGNED;
  REFUSED(INVALID_ARGUMENT, LOAD(&bad, NULL), "not a form of points");
  bad = points, bad.stride = 63;
  REFUSED(INVALID_INPUT, LOAD(&bad, NULL), "stride of 63");
  bad = points, bad.count = (size_t)-1;
  REFUSED(INVALID_ARGUMENT, LOAD(&bad, NULL), "do not exist");
  bad = points, bad.count = 2, bad.stride = (size_t)-1;
  REFUSED(INVALID_ARGUMENT, LOAD(&bad, NULL), "do not exist");
  bad = points, bad.form = BUCKETEER_FORM_BIG_ENDIAN;
  REFUSED(INVALID_INPUT, LOAD(&bad, NULL), "base 0");
  unsigned char off_curve[64] = {[0] = 1, [32] = 3};
  bad = points, bad.data = off_curve;
  REFUSED(INVALID_INPUT, LOAD(&bad, NULL), "not on the curve");
  memset(off_curve, 0xff, 64);
  REFUSED(INVALID_INPUT, LOAD(&bad, NULL), "x is not below the modulus");
  BucketeerOptions options = {.window_bits = 99};
  REFUSED(INVALID_ARGUMENT, LOAD(&points, &options), "99");
  options = (BucketeerOptions){.reserved = {[6] = 1}};
  REFUSED(INVALID_ARGUMENT, LOAD(&points, &options), "reserved");
  options = (BucketeerOptions){.memory_limit = 1};
  CHECK(bases.id == 77);
  REFUSED(INVALID_ARGUMENT,
          bucketeer_bases_load((BucketeerDevice){0}, "bn254", &points, NULL, &bases),
          "0 names no device");
  size_t count;
  REFUSED(INVALID_ARGUMENT, bucketeer_bases_count(bases, &count), "77 names no bases");
  REFUSED(INVALID_ARGUMENT, bucketeer_bases_describe(bases, NULL, 0, &count), "77 names no bases");
  REFUSED(INVALID_ARGUMENT, bucketeer_bases_free(bases), "77 names no bases");
  CHECK(!bucketeer_bases_free((BucketeerBases){0}));
}

static void running(BucketeerDevice device) {
  BucketeerPoints points = {.data = generator, .count = 1, .form = BUCKETEER_FORM_LITTLE_ENDIAN};
  BucketeerScalars scalars = {.data = one, .count = 1, .form = BUCKETEER_FORM_LITTLE_ENDIAN};
  BucketeerBases bases, none = {0};
  BucketeerJob job = {77};
  unsigned char sum[128], untouched[128];
  memset(sum, 0xaa, sizeof sum);
  memset(untouched, 0xaa, sizeof untouched);
  CHECK(!bucketeer_bases_load(device, "bn254", &points, NULL, &bases));
  const uint32_t form = BUCKETEER_FORM_LITTLE_ENDIAN;
  size_t count = 77;
  REFUSED(INVALID_ARGUMENT, bucketeer_bases_count(bases, NULL), "out is null");
  REFUSED(INVALID_ARGUMENT, bucketeer_bases_count(bases, MISALIGNED(size_t)), "out is misaligned");
  CHECK(count == 77 && !bucketeer_bases_count(bases, &count) && count == 1);
  char text[16];
  CHECK(!bucketeer_bases_describe(bases, NULL, 0, &count) && count > sizeof text);
  CHECK(!bucketeer_bases_describe(bases, text, sizeof text, NULL));
  CHECK(strlen(text) == sizeof text - 1);
  REFUSED(INVALID_ARGUMENT, bucketeer_bases_describe(bases, NULL, 8, NULL), "out is null");
  REFUSED(INVALID_ARGUMENT, bucketeer_bases_describe(bases, text, 8, MISALIGNED(size_t)),
          "needed is misaligned");
#define MSM(s) bucketeer_msm(bases, 0, s, form, sum, 64)
  REFUSED(INVALID_ARGUMENT, MSM(NULL), "scalars is null");
  REFUSED(INVALID_ARGUMENT, MSM(MISALIGNED(BucketeerScalars)), "scalars is misaligned");
  REFUSED(INVALID_ARGUMENT, bucketeer_msm(none, 0, &scalars, form, sum, 64), "0 names no bases");
  REFUSED(INVALID_ARGUMENT, bucketeer_msm(bases, 0, &scalars, 5, sum, 64), "5 is not a form");
  REFUSED(INVALID_ARGUMENT, bucketeer_msm(bases, 0, &scalars, form, NULL, 64), "out is null");
  REFUSED(INVALID_ARGUMENT, bucketeer_msm(bases, 0, &scalars, form, sum, 63), "room for 63");
  REFUSED(INVALID_INPUT, bucketeer_msm(bases, 2, &scalars, form, sum, 64), "2..1");
  REFUSED(INVALID_INPUT, bucketeer_msm(bases, 1, &scalars, form, sum, 64), "0 bases but 1");
  BucketeerScalars bad = scalars;
  bad.data = NULL;
  REFUSED(INVALID_ARGUMENT, MSM(&bad), "scalars.data is null");
  bad = scalars, bad.form = 77;
  REFUSED(INVALID_ARGUMENT, MSM(&bad), "not a form");
  bad = scalars, bad.size = 8;
  REFUSED(INVALID_ARGUMENT, MSM(&bad), "for integers");
  bad = scalars, bad.reserved = 1;
  REFUSED(INVALID_ARGUMENT, MSM(&bad), "reserved");
  bad = scalars, bad.form = BUCKETEER_FORM_SIGNED, bad.size = 3;
  REFUSED(INVALID_INPUT, MSM(&bad), "integers of 3 bytes");
  bad = scalars, bad.form = BUCKETEER_FORM_UNSIGNED;
  REFUSED(INVALID_INPUT, MSM(&bad), "integers of 0 bytes");
  unsigned char large[64];
  memset(large, 0xff, sizeof large);
  bad = scalars, bad.data = large;
  REFUSED(INVALID_INPUT, MSM(&bad), "scalar 0 is not below the group order");
  bad.form = BUCKETEER_FORM_MONTGOMERY;
  REFUSED(INVALID_INPUT, MSM(&bad), "scalar 0 is not below the group order");
  bad = scalars, bad.data = large, bad.count = 2;
  REFUSED(INVALID_INPUT, MSM(&bad), "1 bases but 2 scalars");
  bad = scalars, bad.data = large, bad.form = BUCKETEER_FORM_UNSIGNED, bad.size = 1, bad.bits = 7;
  REFUSED(INVALID_INPUT, MSM(&bad), "not below 2^7");
#define BATCH(s, n) bucketeer_msm_batch(bases, 0, s, n, form, sum, sizeof sum)
  REFUSED(INVALID_ARGUMENT, BATCH(NULL, 1), "scalars is null");
  REFUSED(INVALID_ARGUMENT, BATCH(&scalars, 3), "room for 128");
  REFUSED(INVALID_ARGUMENT, BATCH(&scalars, (size_t)-1), "room for 128");
  BucketeerScalars two[2] = {scalars, scalars};
  two[1].data = large;
  REFUSED(INVALID_INPUT, BATCH(two, 2), "MSM 1");
  CHECK(!BATCH(NULL, 0));
#define ONCE(p, s) bucketeer_msm_once(device, "bn254", p, s, NULL, form, sum, 64)
  REFUSED(INVALID_ARGUMENT, ONCE(NULL, &scalars), "points is null");
  REFUSED(INVALID_ARGUMENT, ONCE(&points, NULL), "scalars is null");
  REFUSED(INVALID_ARGUMENT, ONCE(MISALIGNED(BucketeerPoints), &scalars), "points is misaligned");
  REFUSED(INVALID_ARGUMENT, ONCE(&points, MISALIGNED(BucketeerScalars)), "scalars is misaligned");
  bad = scalars, bad.count = 0;
  REFUSED(INVALID_INPUT, ONCE(&points, &bad), "1 bases but 0 scalars");
#define ONCE_WITH(d, c, o, f, to, size) \
  bucketeer_msm_once(d, c, &points, &scalars, o, f, to, size)
  REFUSED(INVALID_ARGUMENT, ONCE_WITH((BucketeerDevice){0}, "bn254", NULL, form, sum, 64),
          "0 names no device");
  REFUSED(INVALID_ARGUMENT, ONCE_WITH(device, NULL, NULL, form, sum, 64), "curve is null");
  REFUSED(INVALID_ARGUMENT, ONCE_WITH(device, "x", NULL, form, sum, 64), "unknown curve");
  REFUSED(INVALID_ARGUMENT, ONCE_WITH(device, "bn254", NULL, 3, sum, 64), "3 is not a form");
  REFUSED(INVALID_ARGUMENT, ONCE_WITH(device, "bn254", NULL, form, NULL, 64), "out is null");
  REFUSED(INVALID_ARGUMENT, ONCE_WITH(device, "bn254", NULL, form, sum, 63), "room for 63");
  REFUSED(INVALID_ARGUMENT,
          ONCE_WITH(device, "bn254", MISALIGNED(BucketeerOptions), form, sum, 64),
          "options is misaligned");
  REFUSED(INVALID_ARGUMENT, bucketeer_submit(bases, 0, &scalars, NULL), "out is null");
  REFUSED(INVALID_ARGUMENT, bucketeer_submit(bases, 0, &scalars, MISALIGNED(BucketeerJob)),
          "out is misaligned");
  REFUSED(INVALID_ARGUMENT, bucketeer_submit(none, 0, &scalars, &job), "0 names no bases");
  REFUSED(INVALID_ARGUMENT, bucketeer_submit(bases, 0, NULL, &job), "scalars is null");
  REFUSED(INVALID_INPUT, bucketeer_submit(bases, 1, &scalars, &job), "0 bases");
  REFUSED(INVALID_ARGUMENT, bucketeer_job_wait(job, form, sum, 64), "77 names no job");
  REFUSED(INVALID_ARGUMENT, bucketeer_job_cancel(job), "77 names no job");
  REFUSED(INVALID_ARGUMENT, bucketeer_job_free(job), "77 names no job");
  uint32_t finished;
  REFUSED(INVALID_ARGUMENT, bucketeer_job_is_finished(job, &finished), "77 names no job");
  /* Refused calls have written nothing. */
  CHECK(memcmp(sum, untouched, sizeof sum) == 0);

  /* Handles of another kind. */
  REFUSED(INVALID_ARGUMENT, bucketeer_bases_free((BucketeerBases){device.id}), "names no bases");
  REFUSED(INVALID_ARGUMENT, bucketeer_job_free((BucketeerJob){bases.id}), "names no job");

  CHECK(!MSM(&scalars) && memcmp(sum, generator, 64) == 0);
  CHECK(bucketeer_last_error()[0] == 0);
  CHECK(!bucketeer_submit(bases, 0, &scalars, &job));
  CHECK(!bucketeer_bases_free(bases));
  REFUSED(INVALID_ARGUMENT, bucketeer_bases_free(bases), "was freed");
  REFUSED(INVALID_ARGUMENT, MSM(&scalars), "was freed");
  REFUSED(INVALID_ARGUMENT, bucketeer_job_wait(job, form, sum, 1), "room for 1");
  CHECK(!bucketeer_job_wait(job, form, sum, 64) && memcmp(sum, generator, 64) == 0);
  CHECK(!bucketeer_job_is_finished(job, &finished) && finished == 1);
  REFUSED(INVALID_ARGUMENT, bucketeer_job_is_finished(job, NULL), "out is null");
  REFUSED(INVALID_ARGUMENT, bucketeer_job_is_finished(job, MISALIGNED(uint32_t)),
          "out is misaligned");
  REFUSED(INVALID_ARGUMENT, bucketeer_job_wait(job, 3, sum, 64), "3 is not a form");
  REFUSED(INVALID_ARGUMENT, bucketeer_job_wait(job, form, NULL, 64), "out is null");
  CHECK(!bucketeer_job_cancel(job));
  CHECK(!bucketeer_job_wait(job, form, sum, 64));
  CHECK(!bucketeer_release_workspaces() && !bucketeer_job_wait(job, form, sum, 64));
  CHECK(!bucketeer_job_free(job));
  REFUSED(INVALID_ARGUMENT, bucketeer_job_wait(job, form, sum, 64), "names no job");
}

static void plans(BucketeerDevice device) {
  BucketeerPlan plan;
  CHECK(!bucketeer_plan(device, "bls12-381", 1 << 20, 1, NULL, &plan));
  CHECK(plan.memory_bytes > plan.table_bytes && plan.table_bytes >= 96 << 20);
  CHECK(plan.nanoseconds > 0 && plan.window_bits > 8 && plan.chunks >= 1);
  BucketeerOptions options = {.memory_limit = 1000};
  REFUSED(OUT_OF_MEMORY, bucketeer_plan(device, "bn254", 1 << 20, 0, &options, &plan),
          "out of memory");
  REFUSED(INVALID_ARGUMENT, bucketeer_plan(device, "bn254", 1, 0, NULL, NULL), "out is null");
  REFUSED(INVALID_ARGUMENT, bucketeer_plan(device, "bn254", 1, 0, NULL, MISALIGNED(BucketeerPlan)),
          "out is misaligned");
  REFUSED(INVALID_ARGUMENT, bucketeer_plan(device, NULL, 1, 0, NULL, &plan), "curve is null");
  REFUSED(INVALID_ARGUMENT,
          bucketeer_plan(device, "bn254", 1, 0, MISALIGNED(BucketeerOptions), &plan),
          "options is misaligned");
  REFUSED(INVALID_ARGUMENT, bucketeer_plan(device, "x", 1, 0, NULL, &plan), "unknown curve");
  REFUSED(INVALID_ARGUMENT, bucketeer_plan((BucketeerDevice){1 << 30}, "bn254", 1, 0, NULL, &plan),
          "names no device");
  /* More bases than there can be: many chunks, and no overflow. */
  CHECK(!bucketeer_plan(device, "bn254", (size_t)-1, 0, NULL, &plan) && plan.chunks > 1000);
}

int main(void) {
  BucketeerDevice device;
  CHECK(!bucketeer_device_open("cpu", 0, &device));
  devices();
  curves();
  loading(device);
  running(device);
  plans(device);
  CHECK(!bucketeer_device_close(device));
  printf("%d passed, 0 failed\n", checks_passed);
  return 0;
}
