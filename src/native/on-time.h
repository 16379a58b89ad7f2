/* Timely wake-ups for the calling thread. */
#pragma once
#include <stdbool.h>

struct uv_loop_s;

/*
 * Makes the kernel wake the calling thread on time: its timers fire when due instead of up to 50 us later, and it does
 * not wait for the time slice of another thread to end (Linux 6.12). If it shall outweigh the main thread and the process
 * has the privilege, it also gets a larger share of a core than that. Returns 0 or a negative errno.
 */
int be_on_time(bool outweighs_main);

/*
 * The calling thread runs before all ordinary threads of the system, whatever they have used so far, until it has used
 * `cpu_ms` of CPU time, less than a second, without a rest in `sleep_on`. Then it is an ordinary one again, with its nice
 * value and slice, even if it is in an endless loop. Returns 0 or a negative errno.
 */
int precede_others(double cpu_ms);

/* Releases what the calling thread holds for precede_others. */
void forget_precedence(void);

/* Sleeps for less than a second. Returns early when the event loop has work. A rest of 50 us renews `cpu_ms`. */
void sleep_on(const struct uv_loop_s *loop, double milliseconds);
