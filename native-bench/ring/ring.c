/*
 * A ring of 16-bit samples between one writer and one reader with memcpy and two positions, and nothing of what ours
 * also carries (rates, marks, counts). Prints the time of one frame of 20 ms at 16 kHz, written and read.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FRAME 320
#define CAPACITY 16384
#define FRAMES 1000000L

static int16_t samples[CAPACITY] __attribute__((aligned(64)));
static _Atomic uint32_t written __attribute__((aligned(64)));
static _Atomic uint32_t taken __attribute__((aligned(64)));
static long broken;

static void copy_in(uint32_t at, const int16_t *frame) {
  uint32_t first = CAPACITY - (at & (CAPACITY - 1));
  if (first > FRAME) first = FRAME;
  memcpy(&samples[at & (CAPACITY - 1)], frame, first * 2);
  memcpy(samples, frame + first, (FRAME - first) * 2);
}

static void copy_out(uint32_t at, int16_t *frame) {
  uint32_t first = CAPACITY - (at & (CAPACITY - 1));
  if (first > FRAME) first = FRAME;
  memcpy(frame, &samples[at & (CAPACITY - 1)], first * 2);
  memcpy(frame + first, samples, (FRAME - first) * 2);
}

static void write_frame(int16_t *frame, long number) {
  uint32_t at = atomic_load_explicit(&written, memory_order_relaxed);
  while (CAPACITY - (at - atomic_load_explicit(&taken, memory_order_acquire)) < FRAME) continue;
  frame[0] = frame[FRAME - 1] = (int16_t)number;
  copy_in(at, frame);
  atomic_store_explicit(&written, at + FRAME, memory_order_release);
}

static void read_frame(int16_t *frame, long number) {
  uint32_t at = atomic_load_explicit(&taken, memory_order_relaxed);
  while (atomic_load_explicit(&written, memory_order_acquire) - at < FRAME) continue;
  copy_out(at, frame);
  if (frame[0] != (int16_t)number || frame[FRAME - 1] != (int16_t)number) broken++;
  atomic_store_explicit(&taken, at + FRAME, memory_order_release);
}

static void *read_all(void *unused) {
  int16_t frame[FRAME];
  for (long i = 0; i < FRAMES; i++) read_frame(frame, i);
  return unused;
}

static double now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static double alone_ns(void) {
  int16_t in[FRAME] = {0}, out[FRAME];
  double start = now_ns();
  for (long i = 0; i < FRAMES; i++) write_frame(in, i), read_frame(out, i);
  return (now_ns() - start) / FRAMES;
}

static double across_ns(void) {
  int16_t frame[FRAME] = {0};
  pthread_t reader;
  double start = now_ns();
  pthread_create(&reader, NULL, read_all, NULL);
  for (long i = 0; i < FRAMES; i++) write_frame(frame, i);
  pthread_join(reader, NULL);
  return (now_ns() - start) / FRAMES;
}

int main(void) {
  double alone = alone_ns();
  double across = across_ns();
  if (broken) return 1;
  printf("{\"ns a frame, one thread\":%.1f,\"ns a frame, from thread to thread\":%.1f}\n", alone, across);
  return 0;
}
