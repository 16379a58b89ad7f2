/* libsoxr; quality is its recipe: 1 low, 2 medium, 4 high. */
#include "filter.h"
#include <soxr.h>

static soxr_t state;

static void start(void) {
  soxr_io_spec_t samples = soxr_io_spec(SOXR_INT16_I, SOXR_INT16_I);
  soxr_quality_spec_t recipe = soxr_quality_spec((unsigned long)quality, 0);
  soxr_runtime_spec_t threads = soxr_runtime_spec(1);
  soxr_error_t error;
  state = soxr_create(in_rate, out_rate, 1, &error, &samples, &recipe, &threads);
  if (error) exit(1);
}

static void stop(void) { soxr_delete(state); }

static long convert(const int16_t *in, long length, int16_t *out, long room) {
  size_t taken, made;
  soxr_process(state, in, (size_t)length, &taken, out, (size_t)room, &made);
  return (long)made;
}
