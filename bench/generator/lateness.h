#ifndef LATENESS_H
#define LATENESS_H
#include <stdint.h>
#include <stdio.h>

enum { LATENESS_BINS = 8000 };

/** A histogram of lateness in bins of a quarter millisecond, up to two seconds. */
struct lateness {
  uint32_t bins[LATENESS_BINS];
  uint64_t count;
  double max_ms;
};

void lateness_reset(struct lateness *all);
void lateness_add(struct lateness *all, double late_ms);
/** Writes `{"p50Ms":…,"p99Ms":…,"p999Ms":…,"maxMs":…}`. */
void lateness_print(const struct lateness *all, FILE *out);

/** Monotonic milliseconds. */
double now_ms(void);
#endif
