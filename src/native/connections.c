#define _GNU_SOURCE
#include "connections.h"
#include <arpa/inet.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include "napi-helpers.h"

/* Descriptors that are looked at. Each takes 60 to 300 ns. */
#define MAX_COUNTED 65536

int port_of(const struct sockaddr_storage *address) {
  return ntohs(address->ss_family == AF_INET6 ? ((const struct sockaddr_in6 *)address)->sin6_port
                                              : ((const struct sockaddr_in *)address)->sin_port);
}

/* An IPv4 address as one of IPv6. */
static struct in6_addr mapped(const struct in_addr *address) {
  struct in6_addr as = {.s6_addr = {[10] = 0xff, [11] = 0xff}};
  memcpy(as.s6_addr + 12, address, sizeof *address);
  return as;
}

/* How many descriptors there may be: the size of the process's table, which grows with the highest, or what is looked at. */
static int descriptors(void) {
  char line[128];
  int size = MAX_COUNTED;
  FILE *status = fopen("/proc/self/status", "re");
  if (status == NULL) return size;
  while (fgets(line, sizeof line, status) != NULL)
    if (sscanf(line, "FDSize: %d", &size) == 1) break;
  fclose(status);
  return size < MAX_COUNTED ? size : MAX_COUNTED;
}

/* Whether a descriptor is a connection to this port from the network: its first bytes. */
static bool comes_from(int fd, int port, const struct in6_addr *network, size_t network_bytes) {
  struct sockaddr_storage peer, own;
  socklen_t peer_length = sizeof peer, own_length = sizeof own;
  if (getpeername(fd, (struct sockaddr *)&peer, &peer_length) != 0) return false;
  if (peer.ss_family != AF_INET && peer.ss_family != AF_INET6) return false;
  const struct in6_addr address = peer.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&peer)->sin6_addr
                                                             : mapped(&((struct sockaddr_in *)&peer)->sin_addr);
  if (memcmp(&address, network, network_bytes) != 0) return false;
  return getsockname(fd, (struct sockaddr *)&own, &own_length) == 0 && port_of(&own) == port;
}

/*
 * connectionsFrom(port, address): how many connections to the port are open from the /24 of an IPv4 address, or the /48 of
 * an IPv6 address. uWebSockets.js does not tell whose connection was closed; the kernel knows whose are open.
 */
napi_value connections_from(napi_env env, napi_callback_info info) {
  size_t count = 2;
  napi_value values[2];
  char text[INET6_ADDRSTRLEN] = "";
  struct in6_addr network;
  struct in_addr ipv4;
  napi_get_cb_info(env, info, &count, values, NULL, NULL);
  napi_get_value_string_utf8(env, values[1], text, sizeof text, NULL);
  const bool is_ipv4 = inet_pton(AF_INET, text, &ipv4) == 1;
  if (is_ipv4) network = mapped(&ipv4);
  else if (inet_pton(AF_INET6, text, &network) != 1) return value_of(env, 0);
  const int port = int_of(env, values[0]), most = descriptors();
  int found = 0;
  for (int fd = 0; fd < most; fd++) found += comes_from(fd, port, &network, is_ipv4 ? 15 : 6);
  return value_of(env, found);
}

/* What the kernel counts of a connection: bytes that came, and that were written to it, whoever has read them. */
typedef struct {
  double received, written;
} Traffic;

static bool traffic_of(int fd, Traffic *traffic) {
  struct tcp_info info = {0};
  socklen_t length = sizeof info;
  if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return false;
  traffic->received = (double)info.tcpi_bytes_received;
  traffic->written = (double)(info.tcpi_bytes_sent - info.tcpi_bytes_retrans + info.tcpi_notsent_bytes);
  return true;
}

static void push(napi_env env, napi_value array, double number) {
  uint32_t length = 0;
  napi_value value;
  napi_get_array_length(env, array, &length);
  napi_create_double(env, number, &value);
  napi_set_element(env, array, length, value);
}

/* traffic(descriptor): an array of bytes received and bytes written; empty: it is no connection. */
napi_value traffic(napi_env env, napi_callback_info info) {
  size_t count = 1;
  napi_value value, result;
  Traffic counted;
  napi_get_cb_info(env, info, &count, &value, NULL, NULL);
  napi_create_array(env, &result);
  if (!traffic_of(int_of(env, value), &counted)) return result;
  push(env, result, counted.received);
  push(env, result, counted.written);
  return result;
}

/* What each descriptor had received when this thread last looked. */
static __thread double *received_before;

/* loud(bytes): the descriptors of TCP connections that have received so much since this thread last called it. */
napi_value loud(napi_env env, napi_callback_info info) {
  size_t count = 1;
  napi_value value, result;
  napi_get_cb_info(env, info, &count, &value, NULL, NULL);
  napi_create_array(env, &result);
  if (received_before == NULL) received_before = calloc(MAX_COUNTED, sizeof *received_before);
  if (received_before == NULL) return result;
  const int least = int_of(env, value), most = descriptors();
  for (int fd = 0; fd < most; fd++) {
    Traffic traffic;
    if (!traffic_of(fd, &traffic)) continue;
    if (traffic.received - received_before[fd] >= least) push(env, result, fd);
    received_before[fd] = traffic.received;
  }
  return result;
}
