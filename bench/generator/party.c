#include "party.h"
#include <math.h>

static const double FRAME_MS = 20;
/* A party to which nothing came for so long at either end of the count has been left alone. */
static const double STALL_MS = 100;

void party_begin(struct party *party, double at_ms) {
  party->listener.breaks = party->listener.silent = 0;
  party->sent = party->received = 0;
  party->began_ms = party->origin_ms = party->last_ms = at_ms;
}

void party_received(struct party *party, struct parties *all, double at_ms) {
  if (!all->counting) return;
  if (party->received == 0) party->origin_ms = at_ms;
  double late_ms = at_ms - party->origin_ms - (double)party->received * FRAME_MS;
  /* An earlier frame than the rhythm expects shows that the first one was late. */
  if (late_ms < 0) {
    party->origin_ms += late_ms;
    late_ms = 0;
  }
  lateness_add(&all->arrival, late_ms);
  party->received++;
  party->last_ms = at_ms;
}

double party_deviation(const struct party *party, double now) {
  double before = party->origin_ms - party->began_ms, after = now - party->last_ms;
  double silent_ms = before > after ? before : after;
  if (party->received == 0) return -(now - party->began_ms) / FRAME_MS;
  if (silent_ms > STALL_MS) return -silent_ms / FRAME_MS;
  /* The last frame may be late, but by less than a frame; a hundredth is for the rounding of clocks. */
  return (double)party->received - 1 - floor((party->last_ms - party->origin_ms) / FRAME_MS + 0.01);
}
