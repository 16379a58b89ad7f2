#include "phone.h"
#include <arpa/inet.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { HEADER_BYTES = 12, PACKET_BYTES = HEADER_BYTES + PHONE_SAMPLES, MOST_BYTES = HEADER_BYTES + SONG_PACKET_BYTES };

int phone_open(struct phone *phone, const struct song *song) {
  struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof own;
  memset(phone, 0, sizeof *phone);
  phone->next_sequence = -1;
  phone->song = song;
  if (song != NULL && (phone->decoder = song_decoder()) == NULL) return 0;
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
  phone->next_sequence = -1;
  phone->lost = 0;
  party_begin(&phone->party, now_ms());
  return 1;
}

static size_t speak(struct phone *phone, const struct probe *probe, uint8_t *packet) {
  memcpy(packet + HEADER_BYTES, probe->ulaw[phone->sequence % PROBE_FRAMES], PHONE_SAMPLES);
  phone->timestamp += PHONE_SAMPLES;
  return PHONE_SAMPLES;
}

/* Not all of them at the same place: an encoder's work differs from frame to frame. */
static size_t sing(struct phone *phone, uint8_t *packet) {
  const struct song *song = phone->song;
  int frame = (int)((phone->position++ + (uint64_t)phone->port) % (uint64_t)song->frames);
  packet[1] = (uint8_t)song->payload_type;
  memcpy(packet + HEADER_BYTES, song->packet[frame], (size_t)song->packet_bytes[frame]);
  phone->timestamp += OPUS_SAMPLES;
  return (size_t)song->packet_bytes[frame];
}

void phone_send(struct phone *phone, const struct probe *probe, int counting) {
  if (!phone->calling) return;
  uint8_t packet[MOST_BYTES] = {0x80, 0};
  uint16_t sequence = htons(phone->sequence);
  uint32_t timestamp = htonl(phone->timestamp), ssrc = htonl((uint32_t)phone->port);
  memcpy(packet + 2, &sequence, sizeof sequence);
  memcpy(packet + 4, &timestamp, sizeof timestamp);
  memcpy(packet + 8, &ssrc, sizeof ssrc);
  size_t bytes = HEADER_BYTES + (phone->song != NULL ? sing(phone, packet) : speak(phone, probe, packet));
  phone->sequence++;
  if (send(phone->socket, packet, bytes, 0) == (ssize_t)bytes && counting) phone->party.sent++;
}

/* False: that was not 20 ms of Opus. */
static int hear_opus(struct phone *phone, const uint8_t *payload, int bytes, int counting) {
  int16_t pcm[OPUS_SAMPLES];
  if (song_decode(phone->decoder, payload, bytes, pcm) != OPUS_SAMPLES) return 0;
  hear_song(&phone->party.listener, (const uint8_t *)pcm, counting);
  return 1;
}

void phone_receive(struct phone *phone, struct parties *all, double at_ms) {
  uint8_t packet[MOST_BYTES];
  ssize_t bytes = recv(phone->socket, packet, sizeof packet, 0);
  if (!phone->calling) return;
  if (phone->song != NULL ? bytes <= HEADER_BYTES : bytes != PACKET_BYTES) return;
  uint16_t sequence = (uint16_t)(packet[2] << 8 | packet[3]);
  uint16_t skipped = (uint16_t)(sequence - (uint16_t)phone->next_sequence);
  if (phone->next_sequence >= 0 && skipped < 0x8000 && all->counting) phone->lost += skipped;
  phone->next_sequence = (uint16_t)(sequence + 1);
  if (phone->song == NULL)
    hear_ulaw(&phone->party.listener, packet + HEADER_BYTES, all->counting);
  else if (!hear_opus(phone, packet + HEADER_BYTES, (int)bytes - HEADER_BYTES, all->counting))
    return;
  party_received(&phone->party, all, at_ms);
}
