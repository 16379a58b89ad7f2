/*
 * When the machine took the core away: a thread that precedes all others (SCHED_FIFO) sleeps for half a millisecond
 * again and again. Each time it wakes late, it prints from when until when, in microseconds of CLOCK_MONOTONIC. No
 * program can have delayed it, only the hypervisor or the kernel. Ends after SECONDS, or when its input does.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

enum { PERIOD_NS = 500000, LATE_US = 250, LOOKS_PER_S = 2000, MOST_STALLS = 100000 };

static long long micros(const struct timespec *at) { return at->tv_sec * 1000000LL + at->tv_nsec / 1000; }

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  static long long stalls[MOST_STALLS][2];
  struct sched_param first = {.sched_priority = sched_get_priority_max(SCHED_FIFO)};
  if (sched_setscheduler(0, SCHED_FIFO, &first) != 0) return perror("SCHED_FIFO"), 1;
  mlockall(MCL_CURRENT | MCL_FUTURE);
  const long looks = (long)(atof(argv[1]) * LOOKS_PER_S);
  struct timespec due, now;
  clock_gettime(CLOCK_MONOTONIC, &due);
  int found = 0;
  for (long look = 0; look < looks && found < MOST_STALLS; look++) {
    due.tv_nsec += PERIOD_NS;
    if (due.tv_nsec >= 1000000000) due.tv_nsec -= 1000000000, due.tv_sec++;
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (micros(&now) - micros(&due) > LATE_US) {
      stalls[found][0] = micros(&due), stalls[found++][1] = micros(&now);
      look += (micros(&now) - micros(&due)) * LOOKS_PER_S / 1000000;
      due = now;
    }
    struct pollfd input = {.fd = 0, .events = POLLIN};
    if (look % LOOKS_PER_S == 0 && poll(&input, 1, 0) == 1) break;
  }
  for (int i = 0; i < found; i++) printf("%lld %lld\n", stalls[i][0], stalls[i][1]);
  return 0;
}
