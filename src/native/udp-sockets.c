#define _GNU_SOURCE
#include "udp-sockets.h"
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#define IPV6_FLAG 0x10000
#define SEND_HEADER_BYTES 8
/* Maximum number of datagrams read from one socket per turn. */
#define BATCH 8
#define EVENTS 256
#define CONTROL_BYTES 64
#define US_PER_S 1000000
/* Packets sent to one address before a line is opened to it: one second of a call. */
#define PACKETS_TO_LINE 50
#define NO_LINE (-1)
/* Exceeds what a socket's buffer holds. The limit stops a sender from keeping the loop busy. */
#define MOST_CLEARED 1024

static Socket *socket_at(const UdpSockets *io, int32_t index) {
  return index >= 0 && index < io->capacity && io->sockets[index].fd >= 0 ? &io->sockets[index] : NULL;
}

/* ---- opening and closing ---- */

/* Returns the length of the address, or 0 if `host` is not an IP address. */
static socklen_t address_of(const char *host, int port, bool wide, struct sockaddr_storage *address) {
  char service[16];
  char mapped[INET6_ADDRSTRLEN + 8];
  struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV, .ai_socktype = SOCK_DGRAM};
  struct addrinfo *found = NULL;
  if (wide && strchr(host, ':') == NULL) {
    snprintf(mapped, sizeof mapped, "::ffff:%s", host);
    host = mapped;
  }
  snprintf(service, sizeof service, "%d", port);
  if (getaddrinfo(host, service, &hints, &found) != 0) return 0;
  socklen_t bytes = found->ai_addrlen;
  memcpy(address, found->ai_addr, bytes);
  freeaddrinfo(found);
  return bytes;
}

static int new_socket(int family, int receive_buffer_bytes) {
  const int fd = socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return -errno;
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &receive_buffer_bytes, sizeof receive_buffer_bytes);
  setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
  setsockopt(fd, SOL_SOCKET, SO_RXQ_OVFL, &on, sizeof on);
  return fd;
}

int udp_bind(const char *host, int port, int receive_buffer_bytes) {
  struct sockaddr_storage address;
  socklen_t address_bytes = address_of(host, port, strchr(host, ':') != NULL, &address);
  if (address_bytes == 0) return -EINVAL;
  const int fd = new_socket(address.ss_family, receive_buffer_bytes);
  if (fd < 0 || bind(fd, (struct sockaddr *)&address, address_bytes) == 0) return fd;
  const int error = errno;
  close(fd);
  return -error;
}

/* Edge-triggered: a socket is reported once and then read until it is empty. */
static int listen_to(UdpSockets *io, int fd, int index) {
  struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.u32 = (uint32_t)index};
  return epoll_ctl(io->epoll, EPOLL_CTL_ADD, fd, &event) == 0 ? 0 : -errno;
}

static int free_index(UdpSockets *io) {
  for (int i = 0; i < io->capacity; i++) {
    if (io->sockets[i].fd < 0) return i;
  }
  const int capacity = io->capacity == 0 ? 64 : io->capacity * 2;
  Socket *sockets = realloc(io->sockets, (size_t)capacity * sizeof *sockets);
  if (sockets == NULL) return -ENOMEM;
  const int index = io->capacity;
  for (int i = index; i < capacity; i++) sockets[i] = (Socket){.fd = -1, .next_ready = -1};
  io->sockets = sockets;
  io->capacity = capacity;
  return index;
}

void udp_clear(int fd) {
  uint8_t byte;
  for (int i = 0; i < MOST_CLEARED && recv(fd, &byte, 1, MSG_DONTWAIT) >= 0; i++) continue;
}

static bool is_wide(int fd) {
  struct sockaddr_storage address = {.ss_family = AF_UNSPEC};
  socklen_t address_bytes = sizeof address;
  return getsockname(fd, (struct sockaddr *)&address, &address_bytes) == 0 && address.ss_family == AF_INET6;
}

int udp_adopt(UdpSockets *io, int fd, int receive_buffer_bytes) {
  const int index = free_index(io);
  const int error = index < 0 ? index : listen_to(io, fd, index);
  if (error < 0) {
    close(fd);
    return error;
  }
  io->sockets[index] = (Socket){.fd = fd, .owner = index, .line = NO_LINE, .next_ready = -1, .wide = is_wide(fd),
                                .receive_buffer_bytes = receive_buffer_bytes};
  return index;
}

static void leave_ready(UdpSockets *io, int index) {
  int before = -1;
  for (int at = io->first_ready; at >= 0; before = at, at = io->sockets[at].next_ready) {
    if (at != index) continue;
    const int next = io->sockets[at].next_ready;
    if (before < 0) io->first_ready = next;
    else io->sockets[before].next_ready = next;
    if (io->last_ready == at) io->last_ready = before;
    return;
  }
}

static void close_entry(UdpSockets *io, int index) {
  Socket *socket = &io->sockets[index];
  if (socket->ready) leave_ready(io, index);
  close(socket->fd);
  *socket = (Socket){.fd = -1, .next_ready = -1};
}

static void close_line(UdpSockets *io, Socket *socket) {
  if (socket->line == NO_LINE) return;
  socket->lines_overflowed += io->sockets[socket->line].overflowed;
  close_entry(io, socket->line);
  socket->line = NO_LINE;
}

void udp_close(UdpSockets *io, int32_t index) {
  Socket *socket = socket_at(io, index);
  if (socket == NULL) return;
  close_line(io, socket);
  close_entry(io, index);
}

void udp_close_all(UdpSockets *io) {
  for (int i = 0; i < io->capacity; i++) {
    if (io->sockets[i].fd >= 0) close(io->sockets[i].fd);
  }
  close(io->epoll);
  free(io->sockets);
}

/* Binds `other` to the port of `fd`. Both need SO_REUSEADDR only at this moment; the port stays closed to others. */
static bool share_port(int fd, int other) {
  struct sockaddr_storage address;
  socklen_t address_bytes = sizeof address;
  const int on = 1;
  const int off = 0;
  if (getsockname(fd, (struct sockaddr *)&address, &address_bytes) != 0) return false;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  setsockopt(other, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  const bool shared = bind(other, (struct sockaddr *)&address, address_bytes) == 0;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &off, sizeof off);
  setsockopt(other, SOL_SOCKET, SO_REUSEADDR, &off, sizeof off);
  return shared;
}

/* If no line can be opened (no descriptor, no route), the first socket keeps sending. */
static void open_line(UdpSockets *io, int index) {
  const int line = free_index(io);
  if (line < 0) return;
  Socket *socket = &io->sockets[index];
  const int fd = new_socket(socket->target.ss_family, socket->receive_buffer_bytes);
  if (fd < 0) return;
  if (share_port(socket->fd, fd) && connect(fd, (struct sockaddr *)&socket->target, socket->target_bytes) == 0 &&
      listen_to(io, fd, line) == 0) {
    io->sockets[line] = (Socket){.fd = fd, .owner = index, .line = NO_LINE, .next_ready = -1};
    socket->line = line;
  } else {
    close(fd);
  }
}

int udp_aim(UdpSockets *io, int32_t index, const char *host, int port) {
  Socket *socket = socket_at(io, index);
  if (socket == NULL) return -EBADF;
  close_line(io, socket);
  socket->packets_to_line = PACKETS_TO_LINE;
  socket->target_bytes = address_of(host, port, socket->wide, &socket->target);
  return socket->target_bytes == 0 ? -EINVAL : 0;
}

/* ---- receiving ---- */

static void enter_ready(UdpSockets *io, int index) {
  Socket *socket = &io->sockets[index];
  if (socket->ready) return;
  socket->ready = true;
  socket->next_ready = -1;
  if (io->first_ready < 0) io->first_ready = index;
  else io->sockets[io->last_ready].next_ready = index;
  io->last_ready = index;
}

static void look(UdpSockets *io) {
  struct epoll_event events[EVENTS];
  int count;
  do {
    count = epoll_wait(io->epoll, events, EVENTS, 0);
    for (int i = 0; i < count; i++) {
      const int index = (int)events[i].data.u32;
      if (socket_at(io, index) != NULL) enter_ready(io, index);
    }
  } while (count == EVENTS);
}

static int64_t micros(const struct timespec *time) {
  return (int64_t)time->tv_sec * US_PER_S + time->tv_nsec / 1000;
}

static void note_source(const struct sockaddr_storage *from, int32_t *head) {
  memset(&head[4], 0, 20);
  if (from->ss_family == AF_INET) {
    const struct sockaddr_in *narrow = (const struct sockaddr_in *)from;
    head[3] = ntohs(narrow->sin_port);
    memcpy(&head[7], &narrow->sin_addr, 4);
  } else {
    const struct sockaddr_in6 *wide = (const struct sockaddr_in6 *)from;
    head[3] = ntohs(wide->sin6_port) | IPV6_FLAG;
    memcpy(&head[4], &wide->sin6_addr, 16);
    head[8] = (int32_t)wide->sin6_scope_id;
  }
}

void udp_source(const UdpSockets *io, int32_t record, char *text) {
  text[0] = '\0';
  if (record < 0 || record >= io->records) return;
  const int32_t *head = (const int32_t *)(io->received + (size_t)record * (size_t)io->record_bytes);
  const bool wide = (head[3] & IPV6_FLAG) != 0;
  inet_ntop(wide ? AF_INET6 : AF_INET, wide ? &head[4] : &head[7], text, INET6_ADDRSTRLEN);
  char name[IF_NAMESIZE];
  if (head[8] != 0 && if_indextoname((unsigned)head[8], name) != NULL) {
    strcat(text, "%");
    strcat(text, name);
  }
}

/* Returns the microseconds since arrival, by the kernel's timestamp. Also records the kernel's drop counter. */
static int32_t age_of(struct msghdr *message, Socket *socket, int64_t now_us) {
  int64_t age_us = 0;
  for (struct cmsghdr *note = CMSG_FIRSTHDR(message); note != NULL; note = CMSG_NXTHDR(message, note)) {
    if (note->cmsg_level != SOL_SOCKET) continue;
    if (note->cmsg_type == SCM_TIMESTAMPNS) {
      struct timespec arrival;
      memcpy(&arrival, CMSG_DATA(note), sizeof arrival);
      age_us = now_us - micros(&arrival);
    } else if (note->cmsg_type == SO_RXQ_OVFL) {
      memcpy(&socket->overflowed, CMSG_DATA(note), sizeof socket->overflowed);
    }
  }
  /* Out of range means that the wall clock was set in between. */
  return age_us < 0 || age_us > US_PER_S ? 0 : (int32_t)age_us;
}

/* Reads up to `most` datagrams from one socket into the records from `first` on. Returns their number. */
static int read_socket(UdpSockets *io, int index, int first, int most, int64_t now_us) {
  struct mmsghdr messages[BATCH];
  struct iovec parts[BATCH];
  struct sockaddr_storage sources[BATCH];
  _Alignas(struct cmsghdr) uint8_t notes[BATCH][CONTROL_BYTES];
  for (int i = 0; i < most; i++) {
    uint8_t *record = io->received + (size_t)(first + i) * (size_t)io->record_bytes;
    parts[i] = (struct iovec){record + RECORD_HEADER_BYTES, (size_t)io->record_bytes - RECORD_HEADER_BYTES};
    messages[i].msg_hdr = (struct msghdr){
        .msg_name = &sources[i], .msg_namelen = sizeof sources[i], .msg_iov = &parts[i], .msg_iovlen = 1,
        .msg_control = notes[i], .msg_controllen = CONTROL_BYTES};
  }
  Socket *socket = &io->sockets[index];
  int count = recvmmsg(socket->fd, messages, (unsigned)most, MSG_DONTWAIT, NULL);
  /* A connected socket first reports that a sent packet was refused. The next call returns the datagrams. */
  if (count < 0 && errno != EAGAIN) count = recvmmsg(socket->fd, messages, (unsigned)most, MSG_DONTWAIT, NULL);
  for (int i = 0; i < count; i++) {
    int32_t *head = (int32_t *)(io->received + (size_t)(first + i) * (size_t)io->record_bytes);
    const bool whole = (messages[i].msg_hdr.msg_flags & MSG_TRUNC) == 0;
    head[0] = socket->owner;
    head[1] = whole ? (int32_t)messages[i].msg_len : 0;
    head[2] = age_of(&messages[i].msg_hdr, socket, now_us);
    note_source(&sources[i], head);
  }
  return count < 0 ? 0 : count;
}

int udp_receive(UdpSockets *io) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  const int64_t now_us = micros(&now);
  int count = 0;
  look(io);
  while (io->first_ready >= 0 && count < io->records) {
    const int index = io->first_ready;
    Socket *socket = &io->sockets[index];
    const int room = io->records - count;
    const int most = room < BATCH ? room : BATCH;
    const int read = read_socket(io, index, count, most, now_us);
    count += read;
    io->first_ready = socket->next_ready;
    socket->ready = false;
    if (read == most) enter_ready(io, index);
  }
  return count;
}

/* ---- sending ---- */

static bool send_by_line(int fd, const uint8_t *payload, size_t length) {
  const int flags = MSG_DONTWAIT | MSG_NOSIGNAL;
  if (send(fd, payload, length, flags) >= 0) return true;
  /* The first error may be about an earlier packet that was refused. Then the kernel accepts this one on retry. */
  return errno != EAGAIN && send(fd, payload, length, flags) >= 0;
}

static bool send_one(UdpSockets *io, int index, const uint8_t *payload, size_t length) {
  Socket *socket = &io->sockets[index];
  if (socket->line != NO_LINE) return send_by_line(io->sockets[socket->line].fd, payload, length);
  if (socket->target_bytes == 0) return false;
  const bool sent = sendto(socket->fd, payload, length, MSG_DONTWAIT | MSG_NOSIGNAL,
                           (struct sockaddr *)&socket->target, socket->target_bytes) >= 0;
  if (--socket->packets_to_line == 0) open_line(io, index);
  return sent;
}

void udp_send(UdpSockets *io, size_t bytes) {
  size_t at = 0;
  while (at + SEND_HEADER_BYTES <= bytes && bytes <= io->unsent_bytes) {
    const int32_t *head = (const int32_t *)(io->unsent + at);
    const size_t length = (size_t)head[1];
    const uint8_t *payload = io->unsent + at + SEND_HEADER_BYTES;
    at += SEND_HEADER_BYTES + ((length + 7) & ~(size_t)7);
    if (socket_at(io, head[0]) == NULL || at > bytes) continue;
    if (!send_one(io, head[0], payload, length)) io->sockets[head[0]].unsent++;
  }
}

uint32_t udp_unsent(const UdpSockets *io, int32_t index) {
  const Socket *socket = socket_at(io, index);
  return socket == NULL ? 0 : socket->unsent;
}

uint32_t udp_overflowed(const UdpSockets *io, int32_t index) {
  const Socket *socket = socket_at(io, index);
  if (socket == NULL) return 0;
  const uint32_t by_line = socket->line == NO_LINE ? 0 : io->sockets[socket->line].overflowed;
  return socket->overflowed + socket->lines_overflowed + by_line;
}
