#define _GNU_SOURCE
#include "on-time.h"
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_MS 1000000
#define NS_PER_S 1000000000
#define SLICE_NS 200000
/* Five steps triple the weight: three quarters of a core that the main thread also wants. */
#define NICE_STEPS 5
#define LEAST_NICE (-20)
/* A pause of this length lets others run. */
#define REST_NS 50000
/* Neither Node nor glibc uses this signal. */
#define SPENT (SIGRTMIN + 5)

/* The CPU time for which this thread still precedes others. */
static __thread timer_t budget;
static __thread bool has_budget;
/* What a rest sets it back to. 0: the thread is an ordinary one. */
static __thread volatile double budget_ms;

/* Declared by libuv, exported by Node: https://docs.libuv.org/en/v1.x/loop.html#c.uv_backend_fd */
int uv_backend_fd(const struct uv_loop_s *loop);

/* struct sched_attr of linux/sched/types.h, first version. glibc has neither the structure nor the calls. */
typedef struct {
  uint32_t size;
  uint32_t policy;
  uint64_t flags;
  int32_t nice;
  uint32_t priority;
  uint64_t runtime_ns;
  uint64_t deadline_ns;
  uint64_t period_ns;
} SchedulingAttributes;

/* A nice value relative to the main thread's, so that repeated calls give the same result. */
static int32_t before_main(int32_t given) {
  if (gettid() == getpid()) return given;
  const int32_t wanted = getpriority(PRIO_PROCESS, (id_t)getpid()) - NICE_STEPS;
  return wanted < LEAST_NICE ? LEAST_NICE : wanted;
}

/*
 * https://docs.kernel.org/scheduler/sched-eevdf.html: a thread that asks for short time slices runs sooner, without
 * getting more time in total. A larger weight requires CAP_SYS_NICE or RLIMIT_NICE.
 */
static int ask_to_be_served_soon(bool outweighs_main) {
  SchedulingAttributes attributes = {.size = sizeof attributes};
  if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0) return -errno;
  const int32_t given = attributes.nice;
  attributes.runtime_ns = SLICE_NS;
  if (outweighs_main) attributes.nice = before_main(given);
  if (syscall(SYS_sched_setattr, 0, &attributes, 0) == 0) return 0;
  attributes.nice = given;
  return syscall(SYS_sched_setattr, 0, &attributes, 0) == 0 ? 0 : -errno;
}

int be_on_time(bool outweighs_main) {
  if (prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL) != 0) return -errno;
  return ask_to_be_served_soon(outweighs_main);
}

static void become_ordinary(int signal) {
  (void)signal;
  const int error = errno;
  budget_ms = 0;
  const struct sched_param ordinary = {.sched_priority = 0};
  sched_setscheduler(0, SCHED_OTHER | SCHED_RESET_ON_FORK, &ordinary);
  errno = error;
}

/* A timer that runs only while this thread does, and then interrupts it. */
static int open_budget(void) {
  if (has_budget) return 0;
  const struct sigaction action = {.sa_handler = become_ordinary, .sa_flags = SA_RESTART | SA_ONSTACK};
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SPENT};
  event._sigev_un._tid = gettid();
  sigset_t spent;
  sigemptyset(&spent);
  sigaddset(&spent, SPENT);
  if (sigaction(SPENT, &action, NULL) != 0) return -errno;
  if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &budget) != 0) return -errno;
  has_budget = true;
  return -pthread_sigmask(SIG_UNBLOCK, &spent, NULL);
}

static int set_budget(double cpu_ms) {
  const int error = open_budget();
  if (error != 0) return error;
  const struct itimerspec once = {.it_value.tv_nsec = (long)(cpu_ms * NS_PER_MS)};
  return timer_settime(budget, 0, &once, NULL) == 0 ? 0 : -errno;
}

/* Real-time scheduling requires CAP_SYS_NICE or RLIMIT_RTPRIO. Threads that this one starts are ordinary ones. */
int precede_others(double cpu_ms) {
  const struct sched_param lowest = {.sched_priority = sched_get_priority_min(SCHED_FIFO)};
  if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &lowest) != 0) return -errno;
  const int error = set_budget(cpu_ms);
  budget_ms = cpu_ms;
  if (error != 0) become_ordinary(0);
  return error;
}

void forget_precedence(void) {
  if (has_budget) timer_delete(budget);
  has_budget = false;
}

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

void sleep_on(const struct uv_loop_s *loop, double milliseconds) {
  struct pollfd loop_event = {.fd = uv_backend_fd(loop), .events = POLLIN};
  const struct timespec most = {.tv_nsec = (long)(milliseconds * NS_PER_MS)};
  const int64_t began_ns = now_ns();
  ppoll(&loop_event, 1, &most, NULL);
  const double renewed_ms = budget_ms;
  if (renewed_ms > 0 && now_ns() - began_ns >= REST_NS) set_budget(renewed_ms);
}
