/*
 * Silero's voice activity network (version 6, 8 kHz, https://github.com/snakers4/silero-vad), computed here: 0.3 million
 * multiplications for 32 ms of a voice need no runtime of 30 MB. Its weights are part of this Node-API addon.
 *
 * A short-time spectrum of 4 steps, four convolutions over time, one LSTM cell of 128, one output. JavaScript owns the
 * state of each voice.
 */
#include <math.h>
#include <node_api.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "napi-helpers.h"

/* Incremented with every change of the interface to JavaScript. */
#define INTERFACE_VERSION 1

#define WINDOW 256
/* Samples of the window before that are looked at again. */
#define CONTEXT 32
#define INPUT (CONTEXT + WINDOW)
/* The end is mirrored, so that the last step of the spectrum has its 128 samples. */
#define MIRRORED 32
#define STEPS 4
#define HOP 64
#define SPAN 128
#define BINS 65
#define HIDDEN 128

/* What is kept of a voice between two windows. */
typedef struct {
  float hidden[HIDDEN];
  float cell[HIDDEN];
  float context[CONTEXT];
} Voice;

/* As in the file: each matrix has a row per input, so that a row is multiplied by one number. */
typedef struct {
  float first[3 * BINS][128], first_bias[128];
  float second[3 * 128][64], second_bias[64];
  /* Two steps become one: the tap before the first step meets nothing. */
  float third[2 * 64][64], third_bias[64];
  /* Of one step, the other two taps meet nothing. */
  float fourth[64][128], fourth_bias[128];
  /* Gates: input, forget, candidate, output. */
  float gates[2 * HIDDEN][4 * HIDDEN], gates_bias[4 * HIDDEN];
  float output[HIDDEN], output_bias;
} Weights;

__asm__(".pushsection .rodata\n"
        ".balign 64\n"
        "silero_weights: .incbin \"silero.weights\"\n"
        ".popsection\n");
extern const Weights silero_weights __attribute__((visibility("hidden")));

/* Rows of the real parts, then of the imaginary parts, with the window in them. Filled up to whole vectors. */
#define PARTS 144
static float spectrum_basis[SPAN][PARTS];

/* As many floats as the widest vectors have. Compilers split it where they are narrower. */
typedef float Block __attribute__((vector_size(64), aligned(4)));
#define BLOCK 16

#define INLINE static inline __attribute__((always_inline))

/* y[t] = bias + x[t] * w, for `steps` rows x of `in` numbers and rows of `out` numbers in w: a multiple of 16 × `blocks`. */
INLINE void multiply(const float *x, int steps, int in, const float *w, int out, int blocks, const float *bias, float *y) {
  for (int at = 0; at < out; at += blocks * BLOCK) {
    Block sums[STEPS * 4];
    for (int t = 0; t < steps; t++)
      for (int b = 0; b < blocks; b++)
        sums[t * blocks + b] = bias == NULL ? (Block){0} : *(const Block *)(bias + at + b * BLOCK);
    for (int i = 0; i < in; i++)
      for (int b = 0; b < blocks; b++) {
        const Block row = *(const Block *)(w + (size_t)i * out + at + b * BLOCK);
        for (int t = 0; t < steps; t++) sums[t * blocks + b] += x[t * in + i] * row;
      }
    for (int t = 0; t < steps; t++)
      for (int b = 0; b < blocks; b++) *(Block *)(y + t * out + at + b * BLOCK) = sums[t * blocks + b];
  }
}

INLINE void rectify(float *x, int count) {
  for (int i = 0; i < count; i++) x[i] = x[i] > 0 ? x[i] : 0;
}

/* x has `steps` rows of `count` numbers. Writes, per output step, the rows before, at and after it; nothing outside. */
INLINE void neighbours(const float *x, int steps, int count, int stride, float *y) {
  for (int t = 0; t < steps; t += stride)
    for (int tap = -1; tap <= 1; tap++, y += count) {
      const int from = t + tap;
      if (from < 0 || from >= steps) memset(y, 0, count * sizeof *y);
      else memcpy(y, x + from * count, count * sizeof *y);
    }
}

INLINE float sigmoid(float x) {
  return 1 / (1 + expf(-x));
}

INLINE void magnitudes(const float *input, float *y) {
  float parts[STEPS][PARTS];
  for (int t = 0; t < STEPS; t++) multiply(input + t * HOP, 1, SPAN, spectrum_basis[0], PARTS, 3, NULL, parts[t]);
  for (int t = 0; t < STEPS; t++)
    for (int bin = 0; bin < BINS; bin++) {
      const float re = parts[t][bin], im = parts[t][BINS + bin];
      y[t * BINS + bin] = sqrtf(re * re + im * im);
    }
}

INLINE void remember(Voice *voice, const float *gates) {
  for (int i = 0; i < HIDDEN; i++) {
    const float kept = sigmoid(gates[HIDDEN + i]) * voice->cell[i];
    voice->cell[i] = kept + sigmoid(gates[i]) * tanhf(gates[2 * HIDDEN + i]);
    voice->hidden[i] = sigmoid(gates[3 * HIDDEN + i]) * tanhf(voice->cell[i]);
  }
}

/* One program for each width of vectors; the loader takes the best for this processor. Needs the GNU C library. */
#if defined(__x86_64__) && defined(__GLIBC__)
#define WIDEST __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define WIDEST
#endif

WIDEST static float probability_of(Voice *voice, const int16_t *samples) {
  const Weights *w = &silero_weights;
  float input[INPUT + MIRRORED], spectrum[STEPS * BINS], taps[STEPS * 3 * BINS];
  float first[4 * 128], second_taps[2 * 3 * 128], second[2 * 64], third[64], both[2 * HIDDEN], gates[4 * HIDDEN];
  memcpy(input, voice->context, sizeof voice->context);
  for (int i = 0; i < WINDOW; i++) input[CONTEXT + i] = samples[i] / 32768.0f;
  for (int i = 0; i < MIRRORED; i++) input[INPUT + i] = input[INPUT - 2 - i];
  memcpy(voice->context, input + WINDOW, sizeof voice->context);

  magnitudes(input, spectrum);
  neighbours(spectrum, STEPS, BINS, 1, taps);
  multiply(taps, 4, 3 * BINS, w->first[0], 128, 2, w->first_bias, first);
  rectify(first, 4 * 128);
  neighbours(first, 4, 128, 2, second_taps);
  multiply(second_taps, 2, 3 * 128, w->second[0], 64, 4, w->second_bias, second);
  rectify(second, 2 * 64);
  multiply(second, 1, 2 * 64, w->third[0], 64, 4, w->third_bias, third);
  rectify(third, 64);
  multiply(third, 1, 64, w->fourth[0], 128, 4, w->fourth_bias, both);
  rectify(both, HIDDEN);
  memcpy(both + HIDDEN, voice->hidden, sizeof voice->hidden);
  multiply(both, 1, 2 * HIDDEN, w->gates[0], 4 * HIDDEN, 4, w->gates_bias, gates);
  remember(voice, gates);

  float sum = w->output_bias;
  for (int i = 0; i < HIDDEN; i++) sum += (voice->hidden[i] > 0 ? voice->hidden[i] : 0) * w->output[i];
  return sigmoid(sum);
}

static void fill_basis(void) {
  const double turn = 2 * M_PI / SPAN;
  for (int i = 0; i < SPAN; i++) {
    const double window = 0.5 - 0.5 * cos(turn * i);
    for (int bin = 0; bin < BINS; bin++) {
      spectrum_basis[i][bin] = window * cos(turn * bin * i);
      spectrum_basis[i][BINS + bin] = -window * sin(turn * bin * i);
    }
  }
}

/* Returns the memory of an array that has at least `count` numbers of this type, or NULL. */
static void *memory_of(napi_env env, napi_value array, napi_typedarray_type expected, size_t count) {
  napi_typedarray_type type;
  size_t length = 0;
  void *data = NULL;
  if (napi_get_typedarray_info(env, array, &type, &length, &data, NULL, NULL) != napi_ok) return NULL;
  return type == expected && length >= count ? data : NULL;
}

/* probability(voice, samples): of speech in the next 256 samples at 8 kHz; −1 if an array is too short. */
static napi_value probability(napi_env env, napi_callback_info info) {
  napi_value given[2], result;
  size_t count = 2;
  napi_get_cb_info(env, info, &count, given, NULL, NULL);
  Voice *voice = memory_of(env, given[0], napi_float32_array, sizeof *voice / sizeof(float));
  const int16_t *samples = memory_of(env, given[1], napi_int16_array, WINDOW);
  const double answer = voice == NULL || samples == NULL ? -1 : probability_of(voice, samples);
  napi_create_double(env, answer, &result);
  return result;
}

NAPI_MODULE_INIT() {
  fill_basis();
  napi_set_named_property(env, exports, "version", value_of(env, INTERFACE_VERSION));
  napi_set_named_property(env, exports, "stateLength", value_of(env, sizeof(Voice) / sizeof(float)));
  add(env, exports, "probability", probability);
  return exports;
}
