/* A telephone's RTP and an agent's WebSocket, as little as a probe needs of them. */
#define _GNU_SOURCE
#include "wire.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* PCMU of some 8,000 and of nothing; loud in PCM is what keeps at least a quarter of that after resampling. */
enum { LOUD_BYTE = 0xa0, QUIET_BYTE = 0xff, LOUD_PCM = 8000, THRESHOLD_PCM = 2000, RTP_THRESHOLD = 0x2f };

long long now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000LL + now.tv_nsec / 1000;
}

static void fail(const char *what) {
  perror(what);
  exit(1);
}

int open_rtp(int port, const char *to_host, int to_port) {
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
  struct sockaddr_in local = {.sin_family = AF_INET, .sin_port = htons(port)};
  struct sockaddr_in remote = {.sin_family = AF_INET, .sin_port = htons(to_port)};
  inet_pton(AF_INET, "127.0.0.1", &local.sin_addr);
  inet_pton(AF_INET, to_host, &remote.sin_addr);
  if (fd < 0 || bind(fd, (struct sockaddr *)&local, sizeof local) != 0) fail("bind");
  if (connect(fd, (struct sockaddr *)&remote, sizeof remote) != 0) fail("connect");
  return fd;
}

void send_rtp(int socket, int loud) {
  static struct { uint16_t sequence; uint32_t timestamp; } streams[1024];
  uint8_t packet[RTP_BYTES] = {0x80, 0};
  uint16_t sequence = htons(streams[socket].sequence++);
  uint32_t timestamp = htonl(streams[socket].timestamp), ssrc = htonl(0x5000 + socket);
  streams[socket].timestamp += FRAME_SAMPLES;
  memcpy(packet + 2, &sequence, 2);
  memcpy(packet + 4, &timestamp, 4);
  memcpy(packet + 8, &ssrc, 4);
  /* Alternating signs: a tone that no filter for steady offsets takes away. */
  for (int i = 0; i < FRAME_SAMPLES; i++)
    packet[RTP_HEADER + i] = loud ? LOUD_BYTE ^ (i & 4 ? 0x80 : 0) : QUIET_BYTE;
  send(socket, packet, sizeof packet, 0);
}

int receive_rtp(int socket) {
  uint8_t packet[2048];
  ssize_t length = recv(socket, packet, sizeof packet, 0);
  if (length < 0) return -1;
  if (length != RTP_BYTES) return 0;
  /* In PCMU the seven lower bits fall as the level rises. */
  for (int i = RTP_HEADER; i < RTP_BYTES; i++)
    if ((packet[i] & 0x7f) < RTP_THRESHOLD) return 1;
  return 0;
}

static void write_all(int fd, const void *bytes, size_t length) {
  for (size_t done = 0; done < length;) {
    ssize_t sent = send(fd, (const char *)bytes + done, length - done, MSG_NOSIGNAL);
    if (sent > 0) done += sent;
    else if (errno != EAGAIN) fail("send");
  }
}

/* The mask is zero. A client must send one (RFC 6455, section 5.3), with any value. */
static void send_message(struct agent *agent, int opcode, const void *bytes, size_t length) {
  uint8_t head[14] = {0x80 | opcode};
  size_t size = 2;
  if (length < 126) head[1] = 0x80 | length;
  else if (length < 65536) head[1] = 0x80 | 126, head[2] = length >> 8, head[3] = length, size = 4;
  else {
    head[1] = 0x80 | 127;
    for (int i = 0; i < 8; i++) head[2 + i] = (uint64_t)length >> (56 - 8 * i);
    size = 10;
  }
  size += 4;
  uint8_t *message = malloc(size + length);
  memcpy(message, head, size);
  memcpy(message + size, bytes, length);
  write_all(agent->socket, message, size + length);
  free(message);
}

void send_text(struct agent *agent, const char *text) { send_message(agent, 1, text, strlen(text)); }

void send_tone(struct agent *agent, int frames) {
  int samples = frames * AGENT_FRAME_BYTES / 2;
  int16_t *pcm = malloc(samples * 2);
  for (int i = 0; i < samples; i++) pcm[i] = i & 8 ? LOUD_PCM : -LOUD_PCM;
  send_message(agent, 2, pcm, samples * 2);
  free(pcm);
}

void open_agent(struct agent *agent, int port, const char *path, const char *key) {
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
  char request[2048], answer[4096] = "";
  int one = 1, length = 0;
  inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
  agent->socket = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(agent->socket, (struct sockaddr *)&to, sizeof to) != 0) fail("connect");
  setsockopt(agent->socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  snprintf(request, sizeof request,
    "GET %s?api_key=%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n", path, key, port);
  write_all(agent->socket, request, strlen(request));
  while (strstr(answer, "\r\n\r\n") == NULL && length < (int)sizeof answer - 1) {
    if (recv(agent->socket, answer + length, 1, 0) != 1) fail("upgrade");
    answer[++length] = 0;
  }
  if (strncmp(answer, "HTTP/1.1 101", 12) != 0) {
    fprintf(stderr, "no upgrade: %.60s\n", answer);
    exit(1);
  }
  fcntl(agent->socket, F_SETFL, O_NONBLOCK);
  send_text(agent, "{\"type\":\"audio_config\",\"sample_rate\":16000,\"receive\":true}");
}

static int is_loud(const uint8_t *bytes, size_t length) {
  for (size_t i = 0; i + 1 < length; i += 2) {
    int16_t sample = (int16_t)(bytes[i] | bytes[i + 1] << 8);
    if (sample > THRESHOLD_PCM || sample < -THRESHOLD_PCM) return 1;
  }
  return 0;
}

void read_agent(struct agent *agent, void (*heard)(int loud), void (*told)(const char *text)) {
  for (;;) {
    ssize_t got = recv(agent->socket, agent->input + agent->length, sizeof agent->input - agent->length, 0);
    if (got == 0) fprintf(stderr, "the gateway closed the WebSocket\n"), exit(1);
    if (got < 0) return;
    agent->length += got;
    int at = 0;
    while (agent->length - at >= 2) {
      const uint8_t *message = agent->input + at;
      int opcode = message[0] & 15, size = 2;
      size_t length = message[1] & 127;
      if (length == 126) size = 4, length = message[2] << 8 | message[3];
      if (agent->length - at < size + (int)length) break;
      if (opcode == 2) heard(is_loud(message + size, length));
      if (opcode == 9) send_message(agent, 10, message + size, length);
      if (opcode == 1) {
        char text[1024];
        snprintf(text, sizeof text, "%.*s", (int)length, (const char *)message + size);
        told(text);
      }
      at += size + length;
    }
    memmove(agent->input, agent->input + at, agent->length - at);
    agent->length -= at;
  }
}
