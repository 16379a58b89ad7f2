#include "probe.h"
#include "opus-song.h"
#include <math.h>
#include <string.h>

static const double PROBE_HZ = 1006.25;
#define AMPLITUDE 8000.0
#define PHASE_TOLERANCE 0.3
#define LEVEL_TOLERANCE 0.3
#define TURN (2 * M_PI / PROBE_FRAMES)
/*
 * In a song: `bench/opus/song.ts` puts it there. Its frames begin a quarter of a turn later each time, because Opus at
 * 24 kbit/s turns a tone under a voice by up to 0.6 when it codes twice; whatever is further off than half of a
 * quarter is another frame.
 */
static const double SONG_HZ = 1012.5;
#define SONG_AMPLITUDE 2000.0
#define SONG_TURN (M_PI / 2)
#define SONG_PHASE_TOLERANCE (SONG_TURN / 2)
#define SONG_LEVEL_TOLERANCE 0.5
static const double SILENT_SHARE = 0.1;

static float decoded[256];
static float phone_cos[PHONE_SAMPLES], phone_sin[PHONE_SAMPLES];
static float agent_cos[AGENT_SAMPLES], agent_sin[AGENT_SAMPLES];
static float song_cos[OPUS_SAMPLES], song_sin[OPUS_SAMPLES];

/* μ-law by the formula of ITU-T G.711, written apart from the gateway's so that the two can disagree. */
static uint8_t encode_ulaw(int sample) {
  int sign = sample < 0 ? 0x80 : 0;
  int magnitude = (sample < 0 ? -sample : sample) + 132;
  if (magnitude > 32767) magnitude = 32767;
  int exponent = 7;
  while (exponent > 0 && !(magnitude & (0x80 << exponent))) exponent--;
  return (uint8_t) ~(sign | (exponent << 4) | ((magnitude >> (exponent + 3)) & 0x0f));
}

static float decode_ulaw(uint8_t byte) {
  int inverted = ~byte & 0xff;
  int magnitude = ((((inverted & 0x0f) << 3) + 132) << ((inverted >> 4) & 7)) - 132;
  return (float)(inverted & 0x80 ? -magnitude : magnitude);
}

static int sample_at(int index, double rate_hz) {
  return (int)lround(AMPLITUDE * sin(2 * M_PI * PROBE_HZ * index / rate_hz));
}

static void fill_waves(float *cosine, float *sine, int samples, double tone_hz, double rate_hz) {
  for (int i = 0; i < samples; i++) {
    cosine[i] = (float)cos(2 * M_PI * tone_hz * i / rate_hz);
    sine[i] = (float)sin(2 * M_PI * tone_hz * i / rate_hz);
  }
}

void probe_init(struct probe *probe) {
  for (int byte = 0; byte < 256; byte++) decoded[byte] = decode_ulaw((uint8_t)byte);
  fill_waves(phone_cos, phone_sin, PHONE_SAMPLES, PROBE_HZ, 8000);
  fill_waves(agent_cos, agent_sin, AGENT_SAMPLES, PROBE_HZ, 16000);
  fill_waves(song_cos, song_sin, OPUS_SAMPLES, SONG_HZ, 48000);
  /* A window that is deaf to what lies beside the tone; its mean is a half. */
  for (int i = 0; i < OPUS_SAMPLES; i++) {
    float window = (float)(1 - cos(2 * M_PI * i / OPUS_SAMPLES));
    song_cos[i] *= window;
    song_sin[i] *= window;
  }
  for (int frame = 0; frame < PROBE_FRAMES; frame++) {
    for (int i = 0; i < PHONE_SAMPLES; i++)
      probe->ulaw[frame][i] = encode_ulaw(sample_at(frame * PHONE_SAMPLES + i, 8000));
    for (int i = 0; i < AGENT_SAMPLES; i++)
      probe->pcm[frame][i] = (int16_t)sample_at(frame * AGENT_SAMPLES + i, 16000);
  }
}

struct expected {
  int samples;
  double amplitude, level_tolerance;
  /* By how much each frame is ahead of the one before, and how far off it may be. */
  double turn, phase_tolerance;
};

static const struct expected AT_PHONE = {PHONE_SAMPLES, AMPLITUDE, LEVEL_TOLERANCE, TURN, PHASE_TOLERANCE};
static const struct expected AT_AGENT = {AGENT_SAMPLES, AMPLITUDE, LEVEL_TOLERANCE, TURN, PHASE_TOLERANCE};
static const struct expected IN_SONG = {OPUS_SAMPLES, SONG_AMPLITUDE, SONG_LEVEL_TOLERANCE, SONG_TURN, SONG_PHASE_TOLERANCE};

static void judge(struct listener *listener, float real, float imaginary, const struct expected *expected, int counting) {
  double phase = atan2(real, imaginary);
  double level = 2 * hypot(real, imaginary) / expected->samples / expected->amplitude;
  double error = remainder(phase - listener->last_phase - expected->turn, 2 * M_PI);
  listener->last_phase = phase;
  /* Silence before the signal begins is not a break. */
  if (listener->heard == 0 && level < 0.5) return;
  listener->heard++;
  if (!counting || (fabs(level - 1) <= expected->level_tolerance && fabs(error) <= expected->phase_tolerance)) return;
  listener->breaks++;
  if (level < SILENT_SHARE) listener->silent++;
}

void hear_ulaw(struct listener *listener, const uint8_t *payload, int counting) {
  float real = 0, imaginary = 0;
  for (int i = 0; i < PHONE_SAMPLES; i++) {
    float sample = decoded[payload[i]];
    real += sample * phone_cos[i];
    imaginary += sample * phone_sin[i];
  }
  judge(listener, real, imaginary, &AT_PHONE, counting);
}

/* A frame of 16-bit PCM against its tone. */
static void hear_samples(struct listener *listener, const uint8_t *bytes, const float *cosine, const float *sine,
                         const struct expected *expected, int counting) {
  float real = 0, imaginary = 0;
  for (int i = 0; i < expected->samples; i++) {
    int16_t sample;
    memcpy(&sample, bytes + 2 * i, sizeof sample);
    real += (float)sample * cosine[i];
    imaginary += (float)sample * sine[i];
  }
  judge(listener, real, imaginary, expected, counting);
}

void hear_pcm(struct listener *listener, const uint8_t *bytes, int counting) {
  hear_samples(listener, bytes, agent_cos, agent_sin, &AT_AGENT, counting);
}

void hear_song(struct listener *listener, const uint8_t *bytes, int counting) {
  hear_samples(listener, bytes, song_cos, song_sin, &IN_SONG, counting);
}
