#ifndef PROBE_H
#define PROBE_H
#include <stdint.h>

enum { PROBE_FRAMES = 8, PHONE_SAMPLES = 160, AGENT_SAMPLES = 320 };

/**
 * The test signal. A 20 ms frame holds 20.125 periods, so each frame starts an eighth of a turn after the previous one.
 * A lost, repeated, concealed or silent frame breaks the signal, and there are only eight different frames.
 */
struct probe {
  uint8_t ulaw[PROBE_FRAMES][PHONE_SAMPLES];
  int16_t pcm[PROBE_FRAMES][AGENT_SAMPLES];
};

/** What one party has received. */
struct listener {
  uint64_t heard;
  /** Frames at the wrong place or level. */
  uint64_t breaks;
  /** Breaks with hardly any signal. */
  uint64_t silent;
  double last_phase;
};

void probe_init(struct probe *probe);
void hear_ulaw(struct listener *listener, const uint8_t *payload, int counting);
/** 16-bit little endian at 16 kHz; at any address. */
void hear_pcm(struct listener *listener, const uint8_t *bytes, int counting);
/** A frame at 48 kHz that went through Opus: the tone is one part of a song and may be a little off. */
void hear_song(struct listener *listener, const uint8_t *bytes, int counting);
#endif
