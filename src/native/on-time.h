/* A thread that wakes when it means to. */
#pragma once

struct uv_loop_s;

/*
 * Timers of the calling thread fire when they are due, where the kernel's habit is up to 50 us later, and it need not
 * wait until another thread's slice of some milliseconds is over. Kernels before 6.12 do the first only. Zero, or an
 * errno below zero.
 */
int be_on_time(void);

/* Sleeps less than a second; ends early when the event loop has something to do. */
void sleep_on(const struct uv_loop_s *loop, double milliseconds);
