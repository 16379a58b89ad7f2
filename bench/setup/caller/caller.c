/*
 * Calls a gateway at a steady pace and times each set-up from outside: INVITE sent to 200 received, and to the first
 * RTP packet. One thread, absolute deadlines, CLOCK_MONOTONIC; what it does for a call costs it some 20 us.
 *
 * sip-caller HOST SIP_PORT GATEWAY_PORT NUMBER FIRST_RTP_PORT CALLS_PER_SECOND SECONDS HOLD_MS
 * prints one line for each call: begin, INVITE -> 200, INVITE -> first RTP, in microseconds, -1 where none came; and the
 * last status, 0 without one.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define GIVE_UP_US 5000000
#define MESSAGE_BYTES 2048
#define SIP_SOCKET UINT32_MAX

enum state { FREE, CALLING, TALKING, LEAVING };

struct call {
  enum state state;
  int rtp_socket;
  int rtp_port;
  int number;
  int status;
  long long began_us, ok_us, rtp_us;
  char to[256];
};

static struct sockaddr_in gateway;
static const char *host, *dialled;
static int sip_port, sip_socket, call_count;
/* Tells this run's calls from those of runs before, which the gateway may still remember. */
static int run;
static long long hold_us;
static struct call *calls;

static long long now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000LL + now.tv_nsec / 1000;
}

static int udp_socket(int port) {
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
  int bytes = 4 << 20;
  struct sockaddr_in local = {.sin_family = AF_INET, .sin_port = htons(port)};
  inet_pton(AF_INET, host, &local.sin_addr);
  setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
  if (fd < 0 || bind(fd, (struct sockaddr *)&local, sizeof local) != 0) {
    perror("bind");
    exit(1);
  }
  return fd;
}

static void send_text(const char *text, int length) {
  sendto(sip_socket, text, length, 0, (struct sockaddr *)&gateway, sizeof gateway);
}

/* The head that all requests of a call share. */
static int head(char *text, const struct call *call, const char *method, int cseq, const char *to) {
  return snprintf(text, MESSAGE_BYTES,
    "%s sip:%s@%s:%d SIP/2.0\r\n"
    "Via: SIP/2.0/UDP %s:%d;branch=z9hG4bK%s-%d-%d;rport\r\n"
    "Max-Forwards: 70\r\n"
    "From: <sip:+49301234567@%s>;tag=%d-%d\r\n"
    "To: %s\r\n"
    "Call-ID: %d-%d@%s\r\n"
    "CSeq: %d %s\r\n"
    "Contact: <sip:caller@%s:%d>\r\n",
    method, dialled, host, ntohs(gateway.sin_port), host, sip_port, method, run, call->number, host, run, call->number, to,
    run, call->number, host, cseq, method, host, sip_port);
}

static void invite(struct call *call) {
  char text[MESSAGE_BYTES], sdp[512], to[256];
  snprintf(to, sizeof to, "<sip:%s@%s>", dialled, host);
  int sdp_length = snprintf(sdp, sizeof sdp,
    "v=0\r\no=- %d 1 IN IP4 %s\r\ns=-\r\nc=IN IP4 %s\r\nt=0 0\r\n"
    "m=audio %d RTP/AVP 0 101\r\na=rtpmap:0 PCMU/8000\r\na=rtpmap:101 telephone-event/8000\r\na=ptime:20\r\n",
    call->number + 1, host, host, call->rtp_port);
  int length = head(text, call, "INVITE", 1, to);
  length += snprintf(text + length, MESSAGE_BYTES - length,
    "Content-Type: application/sdp\r\nContent-Length: %d\r\n\r\n%s", sdp_length, sdp);
  call->state = CALLING;
  call->ok_us = call->rtp_us = -1;
  call->status = 0;
  call->began_us = now_us();
  send_text(text, length);
}

static void send_empty(struct call *call, const char *method, int cseq) {
  char text[MESSAGE_BYTES];
  int length = head(text, call, method, cseq, call->to);
  length += snprintf(text + length, MESSAGE_BYTES - length, "Content-Length: 0\r\n\r\n");
  send_text(text, length);
}

static void report(struct call *call, long long origin_us) {
  printf("%lld %lld %lld %d\n", call->began_us - origin_us, call->ok_us < 0 ? -1 : call->ok_us - call->began_us,
    call->rtp_us < 0 ? -1 : call->rtp_us - call->began_us, call->status);
}

static int header_line(const char *text, const char *name, char *value, int size) {
  const char *line = strcasestr(text, name);
  if (line == NULL) return 0;
  line += strlen(name);
  int length = strcspn(line, "\r\n");
  snprintf(value, size, "%.*s", length, line);
  return 1;
}

static struct call *call_of(const char *text) {
  char value[256];
  int of_run, number;
  if (!header_line(text, "\r\nCall-ID: ", value, sizeof value)) return NULL;
  if (sscanf(value, "%d-%d", &of_run, &number) != 2 || of_run != run) return NULL;
  struct call *call = &calls[number % call_count];
  return call->number == number ? call : NULL;
}

static void on_sip(long long origin_us) {
  char text[65536];
  ssize_t length;
  while ((length = recv(sip_socket, text, sizeof text - 1, 0)) > 0) {
    long long at_us = now_us();
    text[length] = 0;
    int status = 0;
    struct call *call = call_of(text);
    if (call == NULL || sscanf(text, "SIP/2.0 %d", &status) != 1) continue;
    int is_invite = strcasestr(text, " INVITE\r\n") != NULL;
    if (is_invite && status == 200 && call->state == CALLING) {
      call->ok_us = at_us;
      call->status = status;
      call->state = TALKING;
      header_line(text, "\r\nTo: ", call->to, sizeof call->to);
    }
    if (is_invite && status == 200) send_empty(call, "ACK", 1);
    if (is_invite && status >= 300 && call->state == CALLING) {
      header_line(text, "\r\nTo: ", call->to, sizeof call->to);
      call->status = status;
      send_empty(call, "ACK", 1);
      report(call, origin_us);
      call->state = FREE;
    }
    if (!is_invite && status == 200 && call->state == LEAVING) call->state = FREE;
  }
}

static void on_rtp(struct call *call) {
  char packet[2048];
  long long at_us = now_us();
  while (recv(call->rtp_socket, packet, sizeof packet, 0) > 0) {
    if (call->state == TALKING && call->rtp_us < 0) call->rtp_us = at_us;
  }
}

/* Hangs up calls that are due, and gives up calls that are not answered. */
static void sweep(long long origin_us) {
  long long at_us = now_us();
  for (int i = 0; i < call_count; i++) {
    struct call *call = &calls[i];
    if (call->state == TALKING && at_us - call->ok_us > hold_us) {
      report(call, origin_us);
      call->state = LEAVING;
      call->ok_us = at_us;
      send_empty(call, "BYE", 2);
    } else if (call->state == CALLING && at_us - call->began_us > GIVE_UP_US) {
      report(call, origin_us);
      call->state = FREE;
    } else if (call->state == LEAVING && at_us - call->ok_us > GIVE_UP_US) {
      fprintf(stderr, "BYE was not answered\n");
      call->state = FREE;
    }
  }
}

static int live(void) {
  int count = 0;
  for (int i = 0; i < call_count; i++) count += calls[i].state != FREE;
  return count;
}

int main(int argc, char **argv) {
  if (argc != 9) return 2;
  run = getpid();
  host = argv[1];
  sip_port = atoi(argv[2]);
  gateway.sin_family = AF_INET;
  gateway.sin_port = htons(atoi(argv[3]));
  inet_pton(AF_INET, host, &gateway.sin_addr);
  dialled = argv[4];
  int first_rtp_port = atoi(argv[5]);
  double per_second = atof(argv[6]);
  long total = (long)(per_second * atof(argv[7]));
  hold_us = atoll(argv[8]) * 1000;
  call_count = (int)(per_second * (hold_us / 1e6 + 1)) + 8;
  calls = calloc(call_count, sizeof *calls);
  sip_socket = udp_socket(sip_port);
  int poll_fd = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN, .data.u32 = SIP_SOCKET};
  epoll_ctl(poll_fd, EPOLL_CTL_ADD, sip_socket, &event);
  for (int i = 0; i < call_count; i++) {
    calls[i].rtp_port = first_rtp_port + 2 * i;
    calls[i].rtp_socket = udp_socket(calls[i].rtp_port);
    event.data.u32 = i;
    epoll_ctl(poll_fd, EPOLL_CTL_ADD, calls[i].rtp_socket, &event);
  }
  long long origin_us = now_us(), swept_us = origin_us;
  long started = 0;
  while (started < total || live() > 0) {
    long long at_us = now_us();
    long long due_us = origin_us + (long long)(started * 1e6 / per_second);
    if (started < total && at_us >= due_us) {
      struct call *call = &calls[started % call_count];
      if (call->state == FREE) {
        call->number = (int)started;
        invite(call);
      } else {
        printf("%lld -1 -1 0\n", at_us - origin_us);
      }
      started++;
      continue;
    }
    if (at_us - swept_us >= 1000) {
      swept_us = at_us;
      sweep(origin_us);
    }
    long long wait_us = started < total && due_us - at_us < 1000 ? due_us - at_us : 1000;
    struct timespec wait = {0, wait_us * 1000};
    struct epoll_event events[64];
    int ready = epoll_pwait2(poll_fd, events, 64, &wait, NULL);
    for (int i = 0; i < ready; i++) {
      if (events[i].data.u32 == SIP_SOCKET) on_sip(origin_us);
      else on_rtp(&calls[events[i].data.u32]);
    }
  }
  return 0;
}
