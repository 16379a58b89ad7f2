#ifndef AGENT_H
#define AGENT_H
#include "party.h"

enum { AGENT_INPUT_BYTES = 4096, AGENT_PAYLOAD_BYTES = 2 * AGENT_SAMPLES, AGENT_FRAME_BYTES = 8 + AGENT_PAYLOAD_BYTES };

enum agent_state { AGENT_CONNECTING, AGENT_UPGRADING, AGENT_CONFIGURING, AGENT_TALKING, AGENT_GONE };

/** The prepared WebSocket messages, masked as a client's must be (RFC 6455, section 5.3). */
struct agent_frames {
  uint8_t message[PROBE_FRAMES][AGENT_FRAME_BYTES];
};

/** An AI agent: 20 ms of 16 kHz PCM in a binary WebSocket message, both ways. */
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
  int input_bytes;
  uint8_t input[AGENT_INPUT_BYTES];
};

void agent_prepare(struct agent_frames *frames, const struct probe *probe);
/** Begins to connect to 127.0.0.1:`port`; false: no socket was to be had. */
int agent_open(struct agent *agent, int port, const char *path, const char *key);
void agent_writable(struct agent *agent);
void agent_send(struct agent *agent, const struct agent_frames *frames, int counting);
void agent_receive(struct agent *agent, struct parties *all, double at_ms);
#endif
