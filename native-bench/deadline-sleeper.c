/*
 * A thread that does nothing but sleep to absolute deadlines: how late the machine itself is.
 *   deadline-sleeper seconds [period-us, 20000 by default]
 * Ends after `seconds`, or at SIGTERM or SIGINT, and prints one line of JSON: periods, the lateness of its wake-ups
 * (p50Ms, p99Ms, p999Ms, maxMs) and "histogram", the counts above zero as [lower bound in µs, count], 10 µs wide;
 * everything from 1 s on is in the last one.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define BUCKET_US 10
#define BUCKETS 100001

static volatile sig_atomic_t ended;
static uint32_t counts[BUCKETS];
static long periods;
static double max_ms;

static void end(int signal) {
  (void)signal;
  ended = 1;
}

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static int sleep_until(int64_t due_ns) {
  struct timespec due = {due_ns / 1000000000LL, due_ns % 1000000000LL};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL) == EINTR)
    if (ended) return 0;
  return 1;
}

static void count(int64_t late_ns) {
  int64_t bucket = late_ns / 1000 / BUCKET_US;
  counts[bucket < BUCKETS ? bucket : BUCKETS - 1]++;
  periods++;
  double late_ms = (double)late_ns / 1e6;
  if (late_ms > max_ms) max_ms = late_ms;
}

/* Middle of the bucket in which the share is reached. */
static double quantile_ms(double share) {
  double wanted = share * (double)periods;
  double seen = 0;
  for (long bucket = 0; bucket < BUCKETS; bucket++) {
    seen += counts[bucket];
    if (seen >= wanted) return ((double)bucket + 0.5) * BUCKET_US / 1000;
  }
  return max_ms;
}

static void report(void) {
  printf("{\"periods\":%ld,\"p50Ms\":%.3f,\"p99Ms\":%.3f,\"p999Ms\":%.3f,\"maxMs\":%.3f,\"histogram\":[", periods,
         quantile_ms(0.5), quantile_ms(0.99), quantile_ms(0.999), max_ms);
  const char *separator = "";
  for (long bucket = 0; bucket < BUCKETS; bucket++) {
    if (counts[bucket] == 0) continue;
    printf("%s[%ld,%u]", separator, bucket * BUCKET_US, counts[bucket]);
    separator = ",";
  }
  puts("]}");
}

int main(int argc, char **argv) {
  double seconds = argc > 1 ? atof(argv[1]) : 10;
  int64_t period_ns = (argc > 2 ? atoll(argv[2]) : 20000) * 1000;
  struct sigaction action = {.sa_handler = end};
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGINT, &action, NULL);
  int64_t origin = now_ns();
  long planned = (long)(seconds * 1e9 / (double)period_ns);
  for (long period = 1; period <= planned && !ended; period++) {
    int64_t due = origin + period * period_ns;
    if (sleep_until(due)) count(now_ns() - due);
  }
  report();
  return 0;
}
