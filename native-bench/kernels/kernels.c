/*
 * The engine's arithmetic in C: G.711 by table, as ours, and by formula, which the compiler turns into vectors; and
 * mix-minus. Figures are times of one 20 ms frame of one party, or of one tick of one room.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FRAME 160
#define CALLS 64
#define MOST_PARTIES 200
#define MOST_SAMPLES 960
#define FRAME_ROUNDS 4000

static int16_t linear[CALLS][FRAME];
static int16_t decoded[CALLS][FRAME];
static uint8_t bytes[CALLS][FRAME];
static int16_t decode_table[256];
static uint8_t encode_table[65536];

static int16_t said[MOST_PARTIES][MOST_SAMPLES];
static int16_t voices[MOST_PARTIES][MOST_SAMPLES];
static int16_t heard[MOST_PARTIES][MOST_SAMPLES];
static int32_t total[MOST_SAMPLES];

static inline int ulaw_of(int sample) {
  int magnitude = ((sample < 0 ? ~sample : sample) >> 2) + 33;
  if (magnitude > 0x1fff) magnitude = 0x1fff;
  int segment = 31 - __builtin_clz((unsigned)(magnitude >> 5));
  int code = (segment << 4) | ((magnitude >> (segment + 1)) & 0x0f);
  return ~code & (sample < 0 ? 0x7f : 0xff);
}

static inline int linear_of_ulaw(int byte) {
  int code = ~byte & 0x7f;
  int magnitude = ((((code & 0x0f) << 1) + 33) << (code >> 4)) - 33;
  return byte < 0x80 ? -(magnitude << 2) : magnitude << 2;
}

static inline int alaw_of(int sample) {
  int magnitude = (sample < 0 ? ~sample : sample) >> 4;
  int segment = 28 - __builtin_clz((unsigned)(magnitude | 1));
  if (segment < 0) segment = 0;
  int mantissa = (magnitude >> (segment > 1 ? segment - 1 : 0)) & 0x0f;
  return ((segment << 4) | mantissa | (sample < 0 ? 0 : 0x80)) ^ 0x55;
}

static inline int linear_of_alaw(int byte) {
  int code = (byte ^ 0x55) & 0x7f;
  int segment = code >> 4;
  int step = ((code & 0x0f) << 4) + 8;
  int magnitude = segment == 0 ? step : (step + 0x100) << (segment - 1);
  return byte < 0x80 ? -magnitude : magnitude;
}

static double now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* What was computed is used as far as the compiler can tell. */
static void used(void *memory) { __asm__ volatile("" : : "r"(memory) : "memory"); }

#define FORMULA(name, type, from, to, of)                                                    \
  __attribute__((noinline)) static void name(const type *in, to *out) {                      \
    for (int i = 0; i < FRAME; i++) out[i] = (to)of((from)in[i]);                             \
  }
FORMULA(ulaw_encode, int16_t, int, uint8_t, ulaw_of)
FORMULA(ulaw_decode, uint8_t, int, int16_t, linear_of_ulaw)
FORMULA(alaw_encode, int16_t, int, uint8_t, alaw_of)
FORMULA(alaw_decode, uint8_t, int, int16_t, linear_of_alaw)

__attribute__((noinline)) static void table_encode(const int16_t *in, uint8_t *out) {
  for (int i = 0; i < FRAME; i++) out[i] = encode_table[(uint16_t)in[i]];
}

__attribute__((noinline)) static void table_decode(const uint8_t *in, int16_t *out) {
  for (int i = 0; i < FRAME; i++) out[i] = decode_table[in[i]];
}

static void fill_tables(int alaw) {
  for (int i = 0; i < 256; i++) decode_table[i] = (int16_t)(alaw ? linear_of_alaw(i) : linear_of_ulaw(i));
  for (int i = 0; i < 65536; i++) encode_table[i] = (uint8_t)(alaw ? alaw_of((int16_t)i) : ulaw_of((int16_t)i));
}

static double encode_ns(void (*encode)(const int16_t *, uint8_t *)) {
  double start = now_ns();
  for (int round = 0; round < FRAME_ROUNDS; round++)
    for (int call = 0; call < CALLS; call++) encode(linear[call], bytes[call]), used(bytes[call]);
  return (now_ns() - start) / FRAME_ROUNDS / CALLS;
}

static double decode_ns(void (*decode)(const uint8_t *, int16_t *)) {
  double start = now_ns();
  for (int round = 0; round < FRAME_ROUNDS; round++)
    for (int call = 0; call < CALLS; call++) decode(bytes[call], decoded[call]), used(decoded[call]);
  return (now_ns() - start) / FRAME_ROUNDS / CALLS;
}

/* One tick: everybody's voice is fetched, all are added up, everybody gets the rest. */
__attribute__((noinline)) static void mix(int parties, int samples) {
  memset(total, 0, sizeof(int32_t) * (size_t)samples);
  for (int p = 0; p < parties; p++) {
    memcpy(said[p], voices[p], sizeof(int16_t) * (size_t)samples);
    for (int n = 0; n < samples; n++) total[n] += said[p][n];
  }
  for (int p = 0; p < parties; p++) {
    for (int n = 0; n < samples; n++) {
      int32_t sum = total[n] - said[p][n];
      heard[p][n] = (int16_t)(sum > 32767 ? 32767 : sum < -32768 ? -32768 : sum);
    }
  }
}

static double mix_us(int parties, int samples) {
  int rounds = 4000000 / (parties * samples);
  double start = now_ns();
  for (int round = 0; round < rounds; round++) mix(parties, samples), used(heard);
  return (now_ns() - start) / rounds / 1000;
}

/* Loud and quiet callers with the distribution of speech, so that table entries are used unevenly. */
static void fill_voices(void) {
  uint32_t seed = 1;
  for (int p = 0; p < MOST_PARTIES; p++) {
    for (int n = 0; n < MOST_SAMPLES; n++) {
      seed = seed * 1664525u + 1013904223u;
      voices[p][n] = (int16_t)((int32_t)seed >> (17 + p % 6));
    }
    if (p < CALLS) memcpy(linear[p], voices[p], sizeof linear[p]);
  }
}

static void print(const char *figure, double value) {
  static int printed = 0;
  printf("%s\"%s\":%.3f", printed++ ? "," : "{", figure, value);
}

int main(int argc, char **argv) {
  int formula = argc > 1 && strcmp(argv[1], "formula") == 0;
  fill_voices();
  fill_tables(0);
  print("ns, µ-law encode", encode_ns(formula ? ulaw_encode : table_encode));
  print("ns, µ-law decode", decode_ns(formula ? ulaw_decode : table_decode));
  fill_tables(1);
  print("ns, A-law encode", encode_ns(formula ? alaw_encode : table_encode));
  print("ns, A-law decode", decode_ns(formula ? alaw_decode : table_decode));
  if (!formula) {
    print("µs, mix of 3 at 8 kHz", mix_us(3, 160));
    print("µs, mix of 10 at 8 kHz", mix_us(10, 160));
    print("µs, mix of 50 at 8 kHz", mix_us(50, 160));
    print("µs, mix of 200 at 8 kHz", mix_us(200, 160));
    print("µs, mix of 3 at 48 kHz", mix_us(3, 960));
    print("µs, mix of 50 at 48 kHz", mix_us(50, 960));
  }
  puts("}");
  return 0;
}
