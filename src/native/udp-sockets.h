/*
 * The UDP sockets of one thread, identified by numbers. Datagrams pass through two buffers shared with JavaScript, in
 * native byte order:
 *
 *   receive record, of a fixed size             send record, padded to a multiple of 8 bytes
 *     0  int32    socket                          0  int32  socket
 *     4  int32    payload bytes                   4  int32  payload bytes
 *     8  int32    microseconds since arrival      8  payload
 *    12  int32    source port, plus 0x10000 for IPv6
 *    16  4 words  source address, IPv4 in the last word
 *    32  int32    scope of an IPv6 address, or 0
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
 * address. The kernel then needs no route lookup per packet and finds the receiver of packets from there faster. The
 * first socket still receives packets from all other addresses. A line is an entry of its own, used internally only.
 */
typedef struct {
  int fd; /* -1: free */
  int owner; /* index of the socket whose packets it receives; differs from its own only for a line */
  int line;
  int next_ready;
  bool ready;
  bool wide; /* IPv6 */
  int receive_buffer_bytes;
  struct sockaddr_storage target;
  socklen_t target_bytes; /* 0: no target yet */
  int packets_to_line;
  uint32_t unsent;
  uint32_t overflowed;
  uint32_t lines_overflowed; /* sum over closed lines */
} Socket;

/* The sockets of one thread. */
typedef struct {
  int epoll;
  Socket *sockets;
  int capacity;
  int first_ready; /* queue of sockets that may have unread datagrams; -1: empty */
  int last_ready;
  uint8_t *received;
  int record_bytes;
  int records;
  uint8_t *unsent;
  size_t unsent_bytes;
} UdpSockets;

/* Calls that can fail return a negative errno. Hosts are IP addresses, never names. */

/* Binds a socket that belongs to no thread yet. Returns its descriptor. */
int udp_bind(const char *host, int port, int receive_buffer_bytes);
/* Discards the datagrams that such a socket has received so far. */
void udp_clear(int fd);
/* Adds such a socket to this thread and returns its number. On failure it closes the socket. */
int udp_adopt(UdpSockets *io, int fd, int receive_buffer_bytes);
void udp_close(UdpSockets *io, int32_t index);
void udp_close_all(UdpSockets *io);
/* Sets the socket's destination. */
int udp_aim(UdpSockets *io, int32_t index, const char *host, int port);
/* Receives from all sockets into records and returns their number. When all records are full, there may be more. */
int udp_receive(UdpSockets *io);
/* Writes the source address of a record to `text`, which has UDP_HOST_BYTES. */
#define UDP_HOST_BYTES 80
void udp_source(const UdpSockets *io, int32_t record, char *text);
/* Sends the records in the first `bytes` of the send buffer. Never blocks. */
void udp_send(UdpSockets *io, size_t bytes);
/* Packets that the kernel did not accept, and packets that it dropped because the receive buffer was full. */
uint32_t udp_unsent(const UdpSockets *io, int32_t index);
uint32_t udp_overflowed(const UdpSockets *io, int32_t index);
