/* What the UDP programs share: N sockets on every second port, as RTP has them, packets of a G.711 call, the 20 ms clock, the report. */
#ifndef SOCKETS_H
#define SOCKETS_H

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* 20 ms of G.711 behind an RTP header. */
#define PACKET_BYTES 172
#define ROOM_BYTES 512
#define TICK_NS 20000000LL
/* As the gateway's media sockets have it. */
#define RECEIVE_BUFFER_BYTES 65536

struct job {
  const char *mode;
  int sockets;
  int ticks;
  int port;
  int peer_port;
};

struct counts {
  long received;
  long sent;
  /* Volatile, so that the compiler cannot leave anything unread. */
  volatile uint64_t checksum;
};

static inline struct job job_of(int argc, char **argv) {
  if (argc != 6) {
    fprintf(stderr, "usage: %s mode sockets ticks port peer-port\n", argv[0]);
    exit(2);
  }
  return (struct job){argv[1], atoi(argv[2]), atoi(argv[3]), atoi(argv[4]), atoi(argv[5])};
}

static inline void die(const char *what) {
  perror(what);
  exit(1);
}

static inline struct sockaddr_in loopback(int port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

static inline int open_socket(int port, int buffer_bytes) {
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) die("socket");
  struct sockaddr_in address = loopback(port);
  if (bind(fd, (struct sockaddr *)&address, sizeof address) < 0) die("bind");
  setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &buffer_bytes, sizeof buffer_bytes);
  return fd;
}

static inline int *open_sockets(int count, int port) {
  struct rlimit limit = {8192, 8192};
  setrlimit(RLIMIT_NOFILE, &limit);
  int *fds = malloc(sizeof(int) * (size_t)count);
  for (int i = 0; i < count; i++) fds[i] = open_socket(port + 2 * i, RECEIVE_BUFFER_BYTES);
  return fds;
}

static inline int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static inline void sleep_until(int64_t due_ns) {
  struct timespec due = {due_ns / 1000000000LL, due_ns % 1000000000LL};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL) == EINTR) continue;
}

/* Processor time of the whole process by the kernel's accounting: user and system. */
static inline int64_t cpu_us(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000LL + usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
}

/* As in the engine: a new header, then the payload. */
static inline void write_packet(uint8_t *packet, uint16_t sequence) {
  memset(packet, sequence & 0x7f, PACKET_BYTES);
  packet[0] = 0x80;
  packet[2] = (uint8_t)(sequence >> 8);
  packet[3] = (uint8_t)sequence;
}

static inline void count_packet(struct counts *counts, const uint8_t *packet, long bytes) {
  if (bytes <= 0) return;
  counts->received++;
  counts->checksum += packet[3] + packet[bytes - 1];
}

/* A packet pair is one in and one out. Fewer received than sent would make the rest worthless. */
static inline void report(const struct counts *counts, int64_t cpu) {
  printf("{\"\u00b5s of CPU a packet pair\":%.3f,\"received a packet sent\":%.3f}\n", (double)cpu / (double)counts->sent,
         (double)counts->received / (double)counts->sent);
}

#endif
