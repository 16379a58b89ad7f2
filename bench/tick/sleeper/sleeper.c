/*
 * What the machine allows: sleeps to an absolute deadline every 20 ms, as the engine's clock does, and prints how late
 * it woke each time, in microseconds. Ends after SECONDS, or when its input does.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

enum { PERIOD_NS = 20000000 };

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  long ticks = (long)(atof(argv[1]) * 50);
  int *late_us = calloc(ticks, sizeof *late_us);
  struct timespec due, now;
  mlockall(MCL_CURRENT | MCL_FUTURE);
  clock_gettime(CLOCK_MONOTONIC, &due);
  long done = 0;
  for (; done < ticks; done++) {
    due.tv_nsec += PERIOD_NS;
    if (due.tv_nsec >= 1000000000) due.tv_nsec -= 1000000000, due.tv_sec++;
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
    clock_gettime(CLOCK_MONOTONIC, &now);
    late_us[done] = (int)((now.tv_sec - due.tv_sec) * 1000000 + (now.tv_nsec - due.tv_nsec) / 1000);
    struct pollfd input = {.fd = 0, .events = POLLIN};
    if (done % 50 == 0 && poll(&input, 1, 0) == 1) break;
  }
  for (long i = 0; i < done; i++) printf("%d\n", late_us[i]);
  return 0;
}
