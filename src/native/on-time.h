/* Timely wake-ups for the calling thread. */
#pragma once

struct uv_loop_s;

/*
 * Makes the kernel wake the calling thread on time: its timers fire when due instead of up to 50 us later, and it does
 * not wait for the time slice of another thread to end (Linux 6.12). If the process has the privilege, the thread also
 * gets a larger share of a core than the main thread. Returns 0 or a negative errno.
 */
int be_on_time(void);

/* Sleeps for less than a second. Returns early when the event loop has work. */
void sleep_on(const struct uv_loop_s *loop, double milliseconds);
