/*
 * The media thread's packets with nothing around them: every 20 ms one packet from each of N sockets, and what comes
 * in is taken
 *   epoll       as it arrives, one recvfrom for each readable socket
 *   drain       as it arrives, recvfrom until it says EAGAIN, as libuv does
 *   tick        once a tick, recvfrom until EAGAIN
 *   tick-epoll  once a tick, recvmmsg where epoll says that there is something
 *   tick-mmsg   once a tick, recvmmsg on every socket
 *   connected   the same, over connected sockets
 *   shared      once a tick, recvmmsg and sendmmsg of 64 on one socket for all calls: the limit of batching
 * Everywhere else one sendto a packet: sendmmsg takes packets of one socket only.
 */
#include "sockets.h"
#include <stdbool.h>
#include <sys/epoll.h>

#define BATCH 64
#define MOST_EVENTS 1024

static struct job job;
static int *fds;
static struct sockaddr_in *peers;
static struct counts counts;
static int poller;
static uint8_t packets[BATCH][ROOM_BYTES];
static struct sockaddr_in sources[BATCH];
static struct iovec vectors[BATCH];
static struct mmsghdr headers[BATCH];

static bool mode_is(const char *mode) { return strcmp(job.mode, mode) == 0; }

static void prepare_batch(void) {
  for (int i = 0; i < BATCH; i++) {
    vectors[i] = (struct iovec){packets[i], ROOM_BYTES};
    headers[i].msg_hdr = (struct msghdr){
        .msg_name = &sources[i], .msg_namelen = sizeof sources[i], .msg_iov = &vectors[i], .msg_iovlen = 1};
  }
}

static bool receive_one(int fd) {
  struct sockaddr_in source;
  socklen_t length = sizeof source;
  ssize_t bytes = recvfrom(fd, packets[0], ROOM_BYTES, MSG_DONTWAIT, (struct sockaddr *)&source, &length);
  count_packet(&counts, packets[0], bytes);
  return bytes > 0;
}

static int receive_batch(int fd, unsigned most) {
  for (unsigned i = 0; i < most; i++) headers[i].msg_hdr.msg_namelen = sizeof sources[i];
  int got = recvmmsg(fd, headers, most, MSG_DONTWAIT, NULL);
  for (int i = 0; i < got; i++) count_packet(&counts, packets[i], headers[i].msg_len);
  return got;
}

static void watch_all(void) {
  poller = epoll_create1(EPOLL_CLOEXEC);
  for (int i = 0; i < job.sockets; i++) {
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fds[i]};
    if (epoll_ctl(poller, EPOLL_CTL_ADD, fds[i], &event) < 0) die("epoll_ctl");
  }
}

static void receive_until(int64_t due_ns, bool drain) {
  static struct epoll_event events[MOST_EVENTS];
  for (;;) {
    int64_t left = due_ns - now_ns();
    if (left <= 0) return;
    struct timespec timeout = {0, left};
    int ready = epoll_pwait2(poller, events, MOST_EVENTS, &timeout, NULL);
    for (int i = 0; i < ready; i++)
      while (receive_one(events[i].data.fd) && drain) continue;
  }
}

static void receive_ready(void) {
  static struct epoll_event events[MOST_EVENTS];
  int ready = epoll_wait(poller, events, MOST_EVENTS, 0);
  for (int i = 0; i < ready; i++) receive_batch(events[i].data.fd, 4);
}

static void send_each(uint16_t sequence) {
  static uint8_t packet[PACKET_BYTES];
  bool connected = mode_is("connected");
  for (int i = 0; i < job.sockets; i++) {
    write_packet(packet, sequence);
    ssize_t sent = connected ? send(fds[i], packet, PACKET_BYTES, MSG_DONTWAIT)
                             : sendto(fds[i], packet, PACKET_BYTES, MSG_DONTWAIT, (struct sockaddr *)&peers[i],
                                      sizeof peers[i]);
    if (sent > 0) counts.sent++;
  }
}

/* From one socket, to all. */
static void send_batches(uint16_t sequence) {
  static uint8_t out[BATCH][PACKET_BYTES];
  static struct iovec parts[BATCH];
  static struct mmsghdr batch[BATCH];
  for (int first = 0; first < job.sockets; first += BATCH) {
    int count = job.sockets - first < BATCH ? job.sockets - first : BATCH;
    for (int i = 0; i < count; i++) {
      write_packet(out[i], sequence);
      parts[i] = (struct iovec){out[i], PACKET_BYTES};
      batch[i].msg_hdr = (struct msghdr){
          .msg_name = &peers[first + i], .msg_namelen = sizeof peers[0], .msg_iov = &parts[i], .msg_iovlen = 1};
    }
    int sent = sendmmsg(fds[0], batch, (unsigned)count, MSG_DONTWAIT);
    if (sent > 0) counts.sent += sent;
  }
}

static void receive_in_tick(void) {
  if (mode_is("tick-epoll")) return receive_ready();
  if (mode_is("shared")) {
    while (receive_batch(fds[0], BATCH) == BATCH) continue;
    return;
  }
  for (int i = 0; i < job.sockets; i++) {
    if (mode_is("tick"))
      while (receive_one(fds[i])) continue;
    else
      receive_batch(fds[i], 4);
  }
}

static void open_all(void) {
  if (mode_is("shared")) {
    fds = malloc(sizeof(int));
    fds[0] = open_socket(job.port, RECEIVE_BUFFER_BYTES * 64);
  } else {
    fds = open_sockets(job.sockets, job.port);
  }
  peers = malloc(sizeof *peers * (size_t)job.sockets);
  for (int i = 0; i < job.sockets; i++) {
    peers[i] = loopback(job.peer_port + 2 * i);
    if (mode_is("connected") && connect(fds[i], (struct sockaddr *)&peers[i], sizeof peers[i]) < 0) die("connect");
  }
}

int main(int argc, char **argv) {
  job = job_of(argc, argv);
  open_all();
  prepare_batch();
  bool events = mode_is("epoll") || mode_is("drain");
  if (events || mode_is("tick-epoll")) watch_all();
  int64_t start_cpu = cpu_us();
  int64_t origin = now_ns();
  for (int tick = 1; tick <= job.ticks; tick++) {
    if (events) {
      receive_until(origin + tick * TICK_NS, mode_is("drain"));
    } else {
      sleep_until(origin + tick * TICK_NS);
      receive_in_tick();
    }
    if (mode_is("shared")) send_batches((uint16_t)tick);
    else send_each((uint16_t)tick);
  }
  report(&counts, cpu_us() - start_cpu);
  return 0;
}
