/*
 * The UDP sockets of one thread, by number. Datagrams pass through two buffers that are shared with JavaScript, native
 * byte order:
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
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#define RECORD_HEADER_BYTES 40

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
} UdpSockets;

/* Calls that can fail answer with an errno below zero. Hosts are addresses, never names. */

/* A bound socket's descriptor, which belongs to nobody yet. */
int udp_bind(const char *host, int port, int receive_buffer_bytes);
/* Forgets what has come for such a socket so far. */
void udp_clear(int fd);
/* Takes such a socket among those of the thread: its number, or the error, and then it is closed. */
int udp_adopt(UdpSockets *io, int fd, int receive_buffer_bytes);
void udp_close(UdpSockets *io, int32_t index);
void udp_close_all(UdpSockets *io);
/* Sets where the socket sends from now on. */
int udp_aim(UdpSockets *io, int32_t index, const char *host, int port);
/* Fills records with what waits on all sockets; returns how many. As many as there is room: call again. */
int udp_receive(UdpSockets *io);
/* The text of the source address in a record; `text` has UDP_HOST_BYTES. */
#define UDP_HOST_BYTES 80
void udp_source(const UdpSockets *io, int32_t record, char *text);
/* Sends the records that lie in the first `bytes` of the send buffer. Never waits. */
void udp_send(UdpSockets *io, size_t bytes);
/* Packets that the kernel did not take from us, and such that it dropped because a socket was full. */
uint32_t udp_unsent(const UdpSockets *io, int32_t index);
uint32_t udp_overflowed(const UdpSockets *io, int32_t index);
