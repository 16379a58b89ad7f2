/*
 * What the resamplers in C share: reads a file of 16-bit samples, hands them over 20 ms at a time, writes what comes
 * out, then does it again for the clock. A program gives `start`, `convert` and `stop`.
 *   program in-rate out-rate in-file out-file quality
 * Prints the time of a frame in µs and, in ms, how far the output fell behind the input while it streamed.
 */
#ifndef FILTER_H
#define FILTER_H

#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST_SAMPLES 1048576
#define MOST_FRAME 960
#define ROOM (MOST_FRAME * 8)
#define REPEATS 10
/* Frames until a resampler that holds samples back has filled up. */
#define SETTLED_FRAMES 25

static int in_rate, out_rate, quality;

static void start(void);
static void stop(void);
/* Converts one frame; returns how many samples came out. */
static long convert(const int16_t *in, long length, int16_t *out, long room);

static int16_t input[MOST_SAMPLES];
static int16_t output[MOST_SAMPLES * 6];
static double held_ms;

static double now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static long convert_all(long length, long frame) {
  long made = 0;
  start();
  for (long at = 0; at + frame <= length; at += frame) {
    made += convert(input + at, frame, output + made, ROOM);
    double behind = (double)(at + frame) * 1000 / in_rate - (double)made * 1000 / out_rate;
    if (at / frame >= SETTLED_FRAMES && behind > held_ms) held_ms = behind;
  }
  stop();
  return made;
}

int main(int argc, char **argv) {
  if (argc != 6) return 2;
  in_rate = atoi(argv[1]);
  out_rate = atoi(argv[2]);
  quality = atoi(argv[5]);
  FILE *file = fopen(argv[3], "rb");
  if (!file) return 2;
  long length = (long)fread(input, sizeof *input, MOST_SAMPLES, file);
  fclose(file);
  long frame = in_rate / 50;
  long made = convert_all(length, frame);
  double before = now_us();
  for (int i = 0; i < REPEATS; i++) convert_all(length, frame);
  double us = (now_us() - before) / REPEATS / (double)(length / frame);
  file = fopen(argv[4], "wb");
  if (!file || (long)fwrite(output, sizeof *output, (size_t)made, file) != made) return 2;
  fclose(file);
  printf("{\"frameUs\":%.3f,\"heldMs\":%.3f}\n", us, held_ms);
  return 0;
}

#endif
