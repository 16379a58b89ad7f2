#ifndef PHONE_H
#define PHONE_H
#include "opus-song.h"
#include "party.h"

/** A telephone: PCMU or Opus in RTP, a packet every 20 ms. */
struct phone {
  struct party party;
  int socket;
  int port;
  int calling;
  /** The recording it plays in Opus, or NULL for PCMU. */
  const struct song *song;
  void *decoder;
  uint16_t sequence;
  uint32_t timestamp;
  /** Packets of the recording sent so far. */
  uint64_t position;
  /** Negative until the first packet. */
  int32_t next_sequence;
  uint64_t lost;
};

/** Takes a free port of 127.0.0.1; `song` NULL: it speaks PCMU. False: there is no port, or no decoder. */
int phone_open(struct phone *phone, const struct song *song);
/** Sends to `host`:`port` from now on. False if that is not an address. */
int phone_call(struct phone *phone, const char *host, int port);
void phone_send(struct phone *phone, const struct probe *probe, int counting);
/** Reads the packets that have arrived. */
void phone_receive(struct phone *phone, struct parties *all, double at_ms);
#endif
