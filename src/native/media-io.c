/*
 * UDP for the media threads of the gateway: one call receives what waits on all sockets of a thread, one call sends
 * what a tick has written. Node-API, Linux; each thread that loads it has sockets of its own, closed with the thread.
 *
 * Datagrams pass through two buffers that JavaScript owns and both sides read and write, native byte order:
 *
 *   receive record, RECORD_BYTES each          send record, as long as its payload says, up to 8 bytes
 *     0  int32   socket                           0  int32  socket
 *     4  int32   payload bytes                    4  int32  payload bytes
 *     8  int32   microseconds since it arrived    8  payload
 *    12  int32   source port, and 0x10000 with IPv6
 *    16  4 words source address, IPv4 in the last one
 *    32  int32   scope of an IPv6 address, 0: none
 *    40  payload
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netdb.h>
#include <node_api.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* Goes up with every change that JavaScript must know of. */
#define INTERFACE_VERSION 3
#define RECORD_HEADER_BYTES 40
#define IPV6_FLAG 0x10000
#define SEND_HEADER_BYTES 8
/* Taken from one socket before the next one's turn. */
#define BATCH 8
#define EVENTS 256
#define CONTROL_BYTES 64
#define US_PER_S 1000000
#define NS_PER_MS 1000000
#define SLICE_NS 200000
/* Packets sent to one address that make it worth a socket that is connected to it: a second of a call. */
#define PACKETS_TO_LINE 50
#define NO_LINE (-1)

/* libuv's, which Node exports: https://docs.libuv.org/en/v1.x/loop.html#c.uv_backend_fd */
int uv_backend_fd(const struct uv_loop_s *loop);

/*
 * A socket that has sent to one address for a while gets a line: a second socket on the same port, connected to that
 * address. The kernel then looks no route up for each packet and finds the receiver of what comes from there at once,
 * while the first socket goes on hearing everybody else. A line is an entry of its own that nobody else knows of.
 */
typedef struct {
  int fd; /* -1: free */
  int owner; /* whose packets it receives: its own index, but for a line */
  int line;
  int next_ready;
  bool ready;
  bool wide; /* IPv6 */
  int receive_buffer_bytes;
  struct sockaddr_storage target;
  socklen_t target_bytes; /* 0: nobody to send to yet */
  int packets_to_line;
  uint32_t unsent;
  uint32_t overflowed;
  uint32_t lines_overflowed; /* of lines that were closed */
} Socket;

/* The sockets of one thread. */
typedef struct {
  int epoll;
  Socket *sockets;
  int capacity;
  int first_ready; /* sockets that may hold more than was read, first in, first out; -1: none */
  int last_ready;
  uint8_t *received;
  int record_bytes;
  int records;
  uint8_t *unsent;
  size_t unsent_bytes;
} MediaIo;

/* ---- Node-API in few words ---- */

static int32_t int_of(napi_env env, napi_value value) {
  int32_t number = 0;
  napi_get_value_int32(env, value, &number);
  return number;
}

static napi_value value_of(napi_env env, int32_t number) {
  napi_value value = NULL;
  napi_create_int32(env, number, &value);
  return value;
}

static MediaIo *arguments(napi_env env, napi_callback_info info, size_t count, napi_value *values) {
  MediaIo *io = NULL;
  napi_get_cb_info(env, info, &count, values, NULL, NULL);
  napi_get_instance_data(env, (void **)&io);
  return io;
}

static Socket *socket_at(MediaIo *io, int32_t index) {
  return index >= 0 && index < io->capacity && io->sockets[index].fd >= 0 ? &io->sockets[index] : NULL;
}

/* ---- opening and closing ---- */

/* `host` is an address, never a name. Returns its length, 0 when it is none. */
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

static int open_socket(const char *host, int port, int receive_buffer_bytes, bool wide) {
  struct sockaddr_storage address;
  socklen_t address_bytes = address_of(host, port, wide, &address);
  if (address_bytes == 0) return -EINVAL;
  const int fd = new_socket(address.ss_family, receive_buffer_bytes);
  if (fd < 0 || bind(fd, (struct sockaddr *)&address, address_bytes) == 0) return fd;
  const int error = errno;
  close(fd);
  return -error;
}

/* Edge-triggered: a socket is told once and then read until it is empty. */
static int listen_to(MediaIo *io, int fd, int index) {
  struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.u32 = (uint32_t)index};
  return epoll_ctl(io->epoll, EPOLL_CTL_ADD, fd, &event) == 0 ? 0 : -errno;
}

static int free_index(MediaIo *io) {
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

/* Bytes of a host's text, with an interface's name behind it. */
#define HOST_BYTES (INET6_ADDRSTRLEN + 32)

static int bound_socket(napi_env env, napi_value *values, bool *wide) {
  char host[HOST_BYTES] = "";
  napi_get_value_string_utf8(env, values[0], host, sizeof host, NULL);
  *wide = strchr(host, ':') != NULL;
  return open_socket(host, int_of(env, values[1]), int_of(env, values[2]), *wide);
}

/* Takes a bound socket among those of this thread: its index, or an errno below zero, and then it is closed. */
static int take_in(MediaIo *io, int fd, bool wide, int receive_buffer_bytes) {
  const int index = free_index(io);
  const int error = index < 0 ? index : listen_to(io, fd, index);
  if (error < 0) {
    close(fd);
    return error;
  }
  io->sockets[index] = (Socket){.fd = fd, .owner = index, .line = NO_LINE, .next_ready = -1, .wide = wide,
                                .receive_buffer_bytes = receive_buffer_bytes};
  return index;
}

/* open(host, port, receiveBufferBytes): the socket's index, or an errno below zero. */
static napi_value open_(napi_env env, napi_callback_info info) {
  napi_value values[3];
  MediaIo *io = arguments(env, info, 3, values);
  bool wide;
  const int fd = bound_socket(env, values, &wide);
  return value_of(env, fd < 0 ? fd : take_in(io, fd, wide, int_of(env, values[2])));
}

/* reserve(host, port, receiveBufferBytes): the descriptor of a socket that no thread has yet, or an errno below zero. */
static napi_value reserve(napi_env env, napi_callback_info info) {
  napi_value values[3];
  arguments(env, info, 3, values);
  bool wide;
  return value_of(env, bound_socket(env, values, &wide));
}

/* adopt(descriptor, receiveBufferBytes): as `open`, with a reserved socket, which is this thread's from now on. */
static napi_value adopt(napi_env env, napi_callback_info info) {
  napi_value values[2];
  MediaIo *io = arguments(env, info, 2, values);
  const int fd = int_of(env, values[0]);
  struct sockaddr_storage address;
  socklen_t address_bytes = sizeof address;
  if (getsockname(fd, (struct sockaddr *)&address, &address_bytes) != 0) return value_of(env, -errno);
  return value_of(env, take_in(io, fd, address.ss_family == AF_INET6, int_of(env, values[1])));
}

/* clear(descriptor): forgets what has come for a reserved socket so far. */
static napi_value clear(napi_env env, napi_callback_info info) {
  napi_value value;
  arguments(env, info, 1, &value);
  uint8_t byte;
  /* Bounded by what its buffer holds; nobody may keep us here by sending on. */
  for (int i = 0; i < 1024 && recv(int_of(env, value), &byte, 1, MSG_DONTWAIT) >= 0; i++) continue;
  return NULL;
}

/* release(descriptor): closes a reserved socket that nobody has adopted. */
static napi_value release(napi_env env, napi_callback_info info) {
  napi_value value;
  arguments(env, info, 1, &value);
  close(int_of(env, value));
  return NULL;
}

static void leave_ready(MediaIo *io, int index) {
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

static void close_entry(MediaIo *io, int index) {
  Socket *socket = &io->sockets[index];
  if (socket->ready) leave_ready(io, index);
  close(socket->fd);
  *socket = (Socket){.fd = -1, .next_ready = -1};
}

static void close_line(MediaIo *io, Socket *socket) {
  if (socket->line == NO_LINE) return;
  socket->lines_overflowed += io->sockets[socket->line].overflowed;
  close_entry(io, socket->line);
  socket->line = NO_LINE;
}

/* close(socket) */
static napi_value close_(napi_env env, napi_callback_info info) {
  napi_value value;
  MediaIo *io = arguments(env, info, 1, &value);
  const int index = int_of(env, value);
  Socket *socket = socket_at(io, index);
  if (socket == NULL) return NULL;
  close_line(io, socket);
  close_entry(io, index);
  return NULL;
}

/* Lets `other` have the port of `fd` as well. Both must agree at that moment only: it stays taken for all others. */
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

/* Without one, for want of descriptors or of a route, the first socket goes on alone. */
static void open_line(MediaIo *io, int index) {
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

/* aim(socket, host, port): where it sends from now on; an errno below zero when that is no address. */
static napi_value aim(napi_env env, napi_callback_info info) {
  napi_value values[3];
  MediaIo *io = arguments(env, info, 3, values);
  Socket *socket = socket_at(io, int_of(env, values[0]));
  char host[HOST_BYTES] = "";
  napi_get_value_string_utf8(env, values[1], host, sizeof host, NULL);
  if (socket == NULL) return value_of(env, -EBADF);
  close_line(io, socket);
  socket->packets_to_line = PACKETS_TO_LINE;
  socket->target_bytes = address_of(host, int_of(env, values[2]), socket->wide, &socket->target);
  return value_of(env, socket->target_bytes == 0 ? -EINVAL : 0);
}

/* ---- receiving ---- */

static void enter_ready(MediaIo *io, int index) {
  Socket *socket = &io->sockets[index];
  if (socket->ready) return;
  socket->ready = true;
  socket->next_ready = -1;
  if (io->first_ready < 0) io->first_ready = index;
  else io->sockets[io->last_ready].next_ready = index;
  io->last_ready = index;
}

static void look(MediaIo *io) {
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

/* source(record): the text of its source address. */
static napi_value source(napi_env env, napi_callback_info info) {
  napi_value value;
  MediaIo *io = arguments(env, info, 1, &value);
  const int32_t record = int_of(env, value);
  if (record < 0 || record >= io->records) return NULL;
  const int32_t *head = (const int32_t *)(io->received + (size_t)record * (size_t)io->record_bytes);
  const bool wide = (head[3] & IPV6_FLAG) != 0;
  char text[INET6_ADDRSTRLEN + 1 + IF_NAMESIZE] = "";
  inet_ntop(wide ? AF_INET6 : AF_INET, wide ? &head[4] : &head[7], text, INET6_ADDRSTRLEN);
  char name[IF_NAMESIZE];
  if (head[8] != 0 && if_indextoname((unsigned)head[8], name) != NULL) {
    strcat(text, "%");
    strcat(text, name);
  }
  napi_create_string_utf8(env, text, NAPI_AUTO_LENGTH, &value);
  return value;
}

/* Microseconds since arrival, by the kernel's note of it; also what the kernel had to drop. */
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
  /* A wall clock that was set in between tells nothing. */
  return age_us < 0 || age_us > US_PER_S ? 0 : (int32_t)age_us;
}

/* Reads up to `most` datagrams of one socket into the records from `first` on; returns how many there were. */
static int read_socket(MediaIo *io, int index, int first, int most, int64_t now_us) {
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
  /* A line is told first when a packet of its own was refused; what waits comes with the next call. */
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

/* receive(): fills records with what waits on all sockets; returns how many. As many as there is room: call again. */
static napi_value receive(napi_env env, napi_callback_info info) {
  MediaIo *io = arguments(env, info, 0, NULL);
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
  return value_of(env, count);
}

/* ---- sending ---- */

static bool send_by_line(int fd, const uint8_t *payload, size_t length) {
  const int flags = MSG_DONTWAIT | MSG_NOSIGNAL;
  if (send(fd, payload, length, flags) >= 0) return true;
  /* The first answer may be that an earlier packet was refused, which is no reason not to take this one. */
  return errno != EAGAIN && send(fd, payload, length, flags) >= 0;
}

static bool send_one(MediaIo *io, int index, const uint8_t *payload, size_t length) {
  Socket *socket = &io->sockets[index];
  if (socket->line != NO_LINE) return send_by_line(io->sockets[socket->line].fd, payload, length);
  if (socket->target_bytes == 0) return false;
  const bool sent = sendto(socket->fd, payload, length, MSG_DONTWAIT | MSG_NOSIGNAL,
                           (struct sockaddr *)&socket->target, socket->target_bytes) >= 0;
  if (--socket->packets_to_line == 0) open_line(io, index);
  return sent;
}

/* send(bytes): sends the records that lie in the first `bytes` of the send buffer. Never waits. */
static napi_value send_(napi_env env, napi_callback_info info) {
  napi_value value;
  MediaIo *io = arguments(env, info, 1, &value);
  const size_t end = (size_t)int_of(env, value);
  size_t at = 0;
  while (at + SEND_HEADER_BYTES <= end && end <= io->unsent_bytes) {
    const int32_t *head = (const int32_t *)(io->unsent + at);
    const size_t length = (size_t)head[1];
    const uint8_t *payload = io->unsent + at + SEND_HEADER_BYTES;
    at += SEND_HEADER_BYTES + ((length + 7) & ~(size_t)7);
    if (socket_at(io, head[0]) == NULL || at > end) continue;
    if (!send_one(io, head[0], payload, length)) io->sockets[head[0]].unsent++;
  }
  return NULL;
}

/* unsent(socket): packets that the kernel did not take. overflowed(socket): packets it dropped, full. */
static napi_value unsent(napi_env env, napi_callback_info info) {
  napi_value value;
  MediaIo *io = arguments(env, info, 1, &value);
  const Socket *socket = socket_at(io, int_of(env, value));
  return value_of(env, socket == NULL ? 0 : (int32_t)socket->unsent);
}

static napi_value overflowed(napi_env env, napi_callback_info info) {
  napi_value value;
  MediaIo *io = arguments(env, info, 1, &value);
  const Socket *socket = socket_at(io, int_of(env, value));
  if (socket == NULL) return value_of(env, 0);
  const uint32_t by_line = socket->line == NO_LINE ? 0 : io->sockets[socket->line].overflowed;
  return value_of(env, (int32_t)(socket->overflowed + socket->lines_overflowed + by_line));
}

/* ---- the thread ---- */

/* use(receiveBuffer, recordBytes, sendBuffer): ArrayBuffers that live as long as the thread. */
static napi_value use(napi_env env, napi_callback_info info) {
  napi_value values[3];
  MediaIo *io = arguments(env, info, 3, values);
  napi_ref kept;
  size_t bytes = 0;
  napi_get_arraybuffer_info(env, values[0], (void **)&io->received, &bytes);
  napi_get_arraybuffer_info(env, values[2], (void **)&io->unsent, &io->unsent_bytes);
  io->record_bytes = int_of(env, values[1]);
  io->records = io->record_bytes > RECORD_HEADER_BYTES ? (int)(bytes / (size_t)io->record_bytes) : 0;
  napi_create_reference(env, values[0], 1, &kept);
  napi_create_reference(env, values[2], 1, &kept);
  return NULL;
}

/* sleep(milliseconds): less than a second; ends early when the thread's event loop has something to do. */
static napi_value sleep_(napi_env env, napi_callback_info info) {
  napi_value value;
  double milliseconds = 0;
  struct uv_loop_s *loop = NULL;
  arguments(env, info, 1, &value);
  napi_get_value_double(env, value, &milliseconds);
  if (napi_get_uv_event_loop(env, &loop) != napi_ok) return NULL;
  struct pollfd loop_event = {.fd = uv_backend_fd(loop), .events = POLLIN};
  const struct timespec most = {.tv_nsec = (long)(milliseconds * NS_PER_MS)};
  ppoll(&loop_event, 1, &most, NULL);
  return NULL;
}

/* As in linux/sched/types.h, its first version: glibc has neither the structure nor the calls. */
typedef struct {
  uint32_t size;
  uint32_t policy;
  uint64_t flags;
  int32_t nice;
  uint32_t priority;
  uint64_t runtime_ns;
  uint64_t deadline_ns;
  uint64_t period_ns;
} SchedulingAttributes;

/* https://docs.kernel.org/scheduler/sched-eevdf.html: who asks for a short slice is served soon, and no more in all. */
static int ask_for_short_slices(void) {
  SchedulingAttributes attributes = {.size = sizeof attributes};
  if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0) return -errno;
  attributes.runtime_ns = SLICE_NS;
  return syscall(SYS_sched_setattr, 0, &attributes, 0) == 0 ? 0 : -errno;
}

/*
 * beOnTime(): timers of this thread fire when they are due, where the kernel's habit is up to 50 us later, and it need
 * not wait until another thread's slice of some milliseconds is over. Kernels before 6.12 do the first only.
 */
static napi_value be_on_time(napi_env env, napi_callback_info info) {
  (void)info;
  const int error = prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL) == 0 ? 0 : -errno;
  return value_of(env, error == 0 ? ask_for_short_slices() : error);
}

static void end(napi_env env, void *data, void *hint) {
  (void)env;
  (void)hint;
  MediaIo *io = data;
  for (int i = 0; i < io->capacity; i++) {
    if (io->sockets[i].fd >= 0) close(io->sockets[i].fd);
  }
  close(io->epoll);
  free(io->sockets);
  free(io);
}

static void add(napi_env env, napi_value exports, const char *name, napi_callback call) {
  napi_value function;
  napi_create_function(env, name, NAPI_AUTO_LENGTH, call, NULL, &function);
  napi_set_named_property(env, exports, name, function);
}

NAPI_MODULE_INIT() {
  MediaIo *io = calloc(1, sizeof *io);
  if (io == NULL) return NULL;
  io->first_ready = -1;
  io->epoll = epoll_create1(EPOLL_CLOEXEC);
  /* Called when the thread ends, however it does. */
  napi_set_instance_data(env, io, end, NULL);
  napi_set_named_property(env, exports, "version", value_of(env, INTERFACE_VERSION));
  add(env, exports, "use", use);
  add(env, exports, "open", open_);
  add(env, exports, "reserve", reserve);
  add(env, exports, "adopt", adopt);
  add(env, exports, "clear", clear);
  add(env, exports, "release", release);
  add(env, exports, "close", close_);
  add(env, exports, "aim", aim);
  add(env, exports, "receive", receive);
  add(env, exports, "source", source);
  add(env, exports, "send", send_);
  add(env, exports, "unsent", unsent);
  add(env, exports, "overflowed", overflowed);
  add(env, exports, "sleep", sleep_);
  add(env, exports, "beOnTime", be_on_time);
  return exports;
}
