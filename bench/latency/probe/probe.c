/*
 * Impulses through one call of a gateway, timed outside of it on CLOCK_MONOTONIC. Lines on standard output, times in
 * microseconds:
 *
 *   probe talk  SECONDS RTP_PORT GATEWAY_RTP_HOST GATEWAY_RTP_PORT HTTP_PORT PATH KEY
 *     heard SENT CAME     the telephone's impulse, at the agent
 *     frame CAME          every audio message at the agent
 *     packet CAME         every packet at the telephone
 *     said SENT CAME      the first sample of an utterance that comes in one piece, at the telephone
 *   probe clear  (the same)
 *     cleared SENT CAME PACKETS   the last loud packet after a clear, and how many there were after it
 *   probe phones SECONDS PORT_A HOST_A REMOTE_A PORT_B HOST_B REMOTE_B
 *     crossed SENT CAME   an impulse from telephone A at telephone B
 *
 * Telephones send 20 ms of PCMU every 20 ms to absolute deadlines.
 */
#define _GNU_SOURCE
#include "wire.h"
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const long long FRAME_US = 20000, LOST_US = 2000000;
enum { UTTERANCE_FRAMES = 5, LONG_FRAMES = 100 };
/* Some 500 ms, and a golden section of a frame: few utterances meet all moments of the 20 ms alike. */
static const long long UTTERANCE_EVERY_US = 512361;

static struct agent agent;
static long long impulse_us = -1, utterance_us = -1, cleared_us = -1, last_loud_us = -1;
static int loud_after_clear;

static long long random_us(long long least, long long most) { return least + random() % (most - least); }

static void on_heard(int loud) {
  long long at_us = now_us();
  printf("frame %lld\n", at_us);
  if (!loud || impulse_us < 0) return;
  printf("heard %lld %lld\n", impulse_us, at_us);
  impulse_us = -1;
}

static void on_told(const char *text) {
  if (strstr(text, "call_error") != NULL) fprintf(stderr, "%s\n", text);
}

/* Sleeps in poll until something came or `until_us`. */
static void wait_until(struct pollfd *sources, int count, long long until_us) {
  long long left_us = until_us - now_us();
  struct timespec left = {0, left_us > 0 ? left_us * 1000 : 0};
  if (left_us >= 1000000) left.tv_sec = left_us / 1000000, left.tv_nsec = left_us % 1000000 * 1000;
  ppoll(sources, count, &left, NULL);
}

static long long sooner(long long a_us, long long b_us) { return a_us < b_us ? a_us : b_us; }

/* The telephone has one impulse under way at a time; so has the agent, after silence. */
static void talk(int phone, long long end_us) {
  struct pollfd sources[] = {{.fd = phone, .events = POLLIN}, {.fd = agent.socket, .events = POLLIN}};
  long long packet_us = now_us() + FRAME_US, next_impulse_us = now_us() + 3000000;
  long long next_utterance_us = next_impulse_us + 100000;
  while (now_us() < end_us) {
    wait_until(sources, 2, sooner(packet_us, next_utterance_us));
    long long at_us = now_us();
    if (at_us >= packet_us) {
      int loud = at_us >= next_impulse_us;
      if (loud) {
        impulse_us = now_us();
        next_impulse_us = at_us + random_us(200000, 400000);
      }
      send_rtp(phone, loud);
      packet_us += FRAME_US;
    }
    if (at_us >= next_utterance_us) {
      utterance_us = now_us();
      send_tone(&agent, UTTERANCE_FRAMES);
      next_utterance_us += UTTERANCE_EVERY_US;
    }
    for (int loud; (loud = receive_rtp(phone)) >= 0;) {
      long long came_us = now_us();
      printf("packet %lld\n", came_us);
      if (!loud || utterance_us < 0) continue;
      printf("said %lld %lld\n", utterance_us, came_us);
      utterance_us = -1;
    }
    read_agent(&agent, on_heard, on_told);
  }
}

static void clear(int phone, long long end_us) {
  struct pollfd sources[] = {{.fd = phone, .events = POLLIN}, {.fd = agent.socket, .events = POLLIN}};
  long long packet_us = now_us() + FRAME_US, act_us = now_us() + 2000000;
  int speaking = 0;
  while (now_us() < end_us) {
    wait_until(sources, 2, sooner(packet_us, act_us));
    long long at_us = now_us();
    if (at_us >= packet_us) {
      send_rtp(phone, 0);
      packet_us += FRAME_US;
    }
    if (at_us >= act_us && !speaking) {
      if (cleared_us > 0) printf("cleared %lld %lld %d\n", cleared_us, last_loud_us, loud_after_clear);
      cleared_us = -1;
      send_tone(&agent, LONG_FRAMES);
      speaking = 1;
      act_us = at_us + random_us(300000, 500000);
    } else if (at_us >= act_us) {
      for (int loud; (loud = receive_rtp(phone)) >= 0;) last_loud_us = now_us();
      loud_after_clear = 0;
      cleared_us = last_loud_us = now_us();
      send_text(&agent, "{\"type\":\"clear\"}");
      speaking = 0;
      act_us = at_us + 300000;
    }
    for (int loud; (loud = receive_rtp(phone)) >= 0;) {
      if (!loud) continue;
      last_loud_us = now_us();
      if (cleared_us > 0) loud_after_clear++;
    }
    read_agent(&agent, on_heard, on_told);
  }
}

static void phones(int from, int to, long long end_us) {
  struct pollfd sources[] = {{.fd = from, .events = POLLIN}, {.fd = to, .events = POLLIN}};
  long long packet_us = now_us() + FRAME_US, next_impulse_us = now_us() + 3000000;
  while (now_us() < end_us) {
    wait_until(sources, 2, packet_us);
    long long at_us = now_us();
    if (at_us >= packet_us) {
      int loud = at_us >= next_impulse_us;
      if (loud) {
        if (impulse_us > 0 && at_us - impulse_us > LOST_US) printf("lost\n");
        impulse_us = now_us();
        next_impulse_us = at_us + random_us(600000, 800000);
      }
      send_rtp(from, loud);
      send_rtp(to, 0);
      packet_us += FRAME_US;
    }
    for (int loud; (loud = receive_rtp(to)) >= 0;) {
      if (!loud || impulse_us < 0) continue;
      printf("crossed %lld %lld\n", impulse_us, now_us());
      impulse_us = -1;
    }
    while (receive_rtp(from) >= 0) continue;
  }
}

int main(int argc, char **argv) {
  if (argc != 9) return 2;
  long long end_us = now_us() + (long long)(atof(argv[2]) * 1e6);
  int phone = open_rtp(atoi(argv[3]), argv[4], atoi(argv[5]));
  srandom(now_us());
  if (strcmp(argv[1], "phones") == 0) {
    phones(phone, open_rtp(atoi(argv[6]), argv[7], atoi(argv[8])), end_us);
    return 0;
  }
  open_agent(&agent, atoi(argv[6]), argv[7], argv[8]);
  if (strcmp(argv[1], "clear") == 0) clear(phone, end_us);
  else talk(phone, end_us);
  return 0;
}
