/* A thread that wakes when it means to. */
#pragma once

struct uv_loop_s;

/*
 * Timers of the calling thread fire when they are due, where the kernel's habit is up to 50 us later. It need not wait
 * until another thread's slice of some milliseconds is over (Linux 6.12), nor, in a process that may ask for it, share a
 * core in equal parts with the main one. Zero, or an errno below zero.
 */
int be_on_time(void);

/* Sleeps less than a second; ends early when the event loop has something to do. */
void sleep_on(const struct uv_loop_s *loop, double milliseconds);
