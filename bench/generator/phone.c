#include "phone.h"
#include <arpa/inet.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { HEADER_BYTES = 12, PACKET_BYTES = HEADER_BYTES + PHONE_SAMPLES, SPARE_BYTES = 64 };

int phone_open(struct phone *phone) {
  struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof own;
  memset(phone, 0, sizeof *phone);
  phone->next_sequence = -1;
  phone->socket = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
  if (phone->socket < 0 || bind(phone->socket, (struct sockaddr *)&own, sizeof own) < 0) return 0;
  if (getsockname(phone->socket, (struct sockaddr *)&own, &length) < 0) return 0;
  phone->port = ntohs(own.sin_port);
  return 1;
}

int phone_call(struct phone *phone, const char *host, int port) {
  struct sockaddr_in peer = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  if (inet_pton(AF_INET, host, &peer.sin_addr) != 1) return 0;
  if (connect(phone->socket, (struct sockaddr *)&peer, sizeof peer) < 0) return 0;
  phone->calling = 1;
  return 1;
}

void phone_send(struct phone *phone, const struct probe *probe, int counting) {
  if (!phone->calling) return;
  uint8_t packet[PACKET_BYTES] = {0x80, 0};
  uint16_t sequence = htons(phone->sequence);
  uint32_t timestamp = htonl(phone->timestamp), ssrc = htonl((uint32_t)phone->port);
  memcpy(packet + 2, &sequence, sizeof sequence);
  memcpy(packet + 4, &timestamp, sizeof timestamp);
  memcpy(packet + 8, &ssrc, sizeof ssrc);
  memcpy(packet + HEADER_BYTES, probe->ulaw[phone->sequence % PROBE_FRAMES], PHONE_SAMPLES);
  phone->sequence++;
  phone->timestamp += PHONE_SAMPLES;
  if (send(phone->socket, packet, sizeof packet, 0) == sizeof packet && counting) phone->party.sent++;
}

void phone_receive(struct phone *phone, struct parties *all, double at_ms) {
  uint8_t packet[PACKET_BYTES + SPARE_BYTES];
  if (recv(phone->socket, packet, sizeof packet, 0) != PACKET_BYTES) return;
  uint16_t sequence = (uint16_t)(packet[2] << 8 | packet[3]);
  uint16_t skipped = (uint16_t)(sequence - (uint16_t)phone->next_sequence);
  if (phone->next_sequence >= 0 && skipped < 0x8000 && all->counting) phone->lost += skipped;
  phone->next_sequence = (uint16_t)(sequence + 1);
  hear_ulaw(&phone->party.listener, packet + HEADER_BYTES, all->counting);
  party_received(&phone->party, all, at_ms);
}
