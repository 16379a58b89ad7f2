#ifndef PHONE_H
#define PHONE_H
#include "party.h"

/** A telephone: PCMU in RTP, a packet every 20 ms. */
struct phone {
  struct party party;
  int socket;
  int port;
  int calling;
  uint16_t sequence;
  uint32_t timestamp;
  /** Negative until the first packet. */
  int32_t next_sequence;
  uint64_t lost;
};

/** Takes a free port of 127.0.0.1; false: there is none. */
int phone_open(struct phone *phone);
/** Sends to `host`:`port` from now on; false: no such address. */
int phone_call(struct phone *phone, const char *host, int port);
void phone_send(struct phone *phone, const struct probe *probe, int counting);
/** Takes what has arrived. */
void phone_receive(struct phone *phone, struct parties *all, double at_ms);
#endif
