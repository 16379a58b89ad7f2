#ifndef WIRE_H
#define WIRE_H
#include <stdint.h>

enum { FRAME_SAMPLES = 160, RTP_HEADER = 12, RTP_BYTES = RTP_HEADER + FRAME_SAMPLES };
enum { AGENT_HZ = 16000, AGENT_FRAME_BYTES = 640 };

/** Microseconds on CLOCK_MONOTONIC, which Node's process.hrtime() reads as well. */
long long now_us(void);

/** A UDP socket on 127.0.0.1:`port` that sends to `to_host`:`to_port`; the program ends when there is none. */
int open_rtp(int port, const char *to_host, int to_port);
/** Sends 20 ms of silence, or of a loud tone. */
void send_rtp(int socket, int loud);
/** 1: a loud packet was taken, 0: a quiet one, -1: there is none. */
int receive_rtp(int socket);

/** An agent's WebSocket, configured for 16 kHz in both directions. */
struct agent {
  int socket;
  int length;
  uint8_t input[1 << 20];
};

void open_agent(struct agent *agent, int port, const char *path, const char *key);
void send_text(struct agent *agent, const char *text);
/** Sends `frames` times 20 ms of a loud tone in one message. */
void send_tone(struct agent *agent, int frames);
/** Reads what has arrived. Calls `heard` for each audio message and `told` for each text message. */
void read_agent(struct agent *agent, void (*heard)(int loud), void (*told)(const char *text));
#endif
