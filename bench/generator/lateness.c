#include "lateness.h"
#include <string.h>
#include <time.h>

static const double BIN_MS = 0.25;

void lateness_reset(struct lateness *all) { memset(all, 0, sizeof *all); }

void lateness_add(struct lateness *all, double late_ms) {
  int bin = late_ms < 0 ? 0 : (int)(late_ms / BIN_MS);
  all->bins[bin < LATENESS_BINS ? bin : LATENESS_BINS - 1]++;
  all->count++;
  if (late_ms > all->max_ms) all->max_ms = late_ms;
}

static double quantile(const struct lateness *all, double share) {
  uint64_t seen = 0;
  for (int bin = 0; bin < LATENESS_BINS; bin++) {
    seen += all->bins[bin];
    if ((double)seen >= share * (double)all->count) return (bin + 1) * BIN_MS;
  }
  return all->max_ms;
}

void lateness_print(const struct lateness *all, FILE *out) {
  fprintf(out, "{\"p50Ms\":%.2f,\"p99Ms\":%.2f,\"p999Ms\":%.2f,\"maxMs\":%.2f}", quantile(all, 0.5),
          quantile(all, 0.99), quantile(all, 0.999), all->max_ms);
}

double now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}
