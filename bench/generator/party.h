#ifndef PARTY_H
#define PARTY_H
#include "lateness.h"
#include "probe.h"

/** One end of a call: what it has sent and received, and when. */
struct party {
  struct listener listener;
  uint64_t sent;
  uint64_t received;
  double began_ms;
  double origin_ms;
  double last_ms;
};

/** All parties of one kind. */
struct parties {
  int counting;
  struct lateness arrival;
  struct lateness sending;
};

void party_begin(struct party *party, double at_ms);
/** A frame of 20 ms came; false counts nothing. */
void party_received(struct party *party, struct parties *all, double at_ms);
/** Frames too many or (negative) too few by the clock, between begin and now. */
double party_deviation(const struct party *party, double now);
#endif
