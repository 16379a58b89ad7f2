#ifndef AGENT_H
#define AGENT_H
#include "opus-song.h"
#include "party.h"

enum { AGENT_INPUT_BYTES = 8192, AGENT_MOST_BYTES = 8 + 2 * OPUS_SAMPLES };

enum agent_state { AGENT_CONNECTING, AGENT_UPGRADING, AGENT_CONFIGURING, AGENT_TALKING, AGENT_GONE };

/** Prepared WebSocket messages, masked as required of clients (RFC 6455, section 5.3). */
struct agent_frames {
  int count;
  int payload_bytes;
  int sample_rate;
  uint8_t message[SONG_MAX_FRAMES][AGENT_MOST_BYTES];
};

/** An AI agent: 20 ms of PCM in a binary WebSocket message, both ways. */
struct agent {
  struct party party;
  enum agent_state state;
  int socket;
  char *request;
  unsigned frame;
  /** What a full socket has not taken of the last message. */
  int unsent;
  uint64_t blocked;
  uint64_t errors;
  /** Audio that `call_error` messages said was dropped on its way to this agent. */
  uint64_t lost_ms;
  int input_bytes;
  uint8_t input[AGENT_INPUT_BYTES];
};

/** At 16 kHz. */
void agent_prepare(struct agent_frames *frames, const struct probe *probe);
/** At 48 kHz. */
void agent_prepare_song(struct agent_frames *frames, const struct song *song);
/** Begins to connect to 127.0.0.1:`port`; false: no socket was to be had. */
int agent_open(struct agent *agent, int port, const char *path, const char *key);
/** Closes its connection; safe to call twice. */
void agent_close(struct agent *agent);
void agent_writable(struct agent *agent);
void agent_send(struct agent *agent, const struct agent_frames *frames, int counting);
void agent_receive(struct agent *agent, const struct agent_frames *frames, struct parties *all, double at_ms);
#endif
