#define _GNU_SOURCE
#include "agent.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { TEXT = 1, BINARY = 2, CLOSE = 8, PING = 9, PONG = 10 };
static const uint8_t MASK[4] = {0x37, 0xfa, 0x21, 0x3d};
static const char CONFIG[] = "{\"type\":\"audio_config\",\"sample_rate\":%d,\"receive\":true}";

/* Writes a masked message of up to 64 KiB. Returns its length. */
static int wrap(uint8_t *out, int opcode, const void *payload, int bytes) {
  int head = 2;
  out[0] = (uint8_t)(0x80 | opcode);
  if (bytes < 126) {
    out[1] = (uint8_t)(0x80 | bytes);
  } else {
    out[1] = 0x80 | 126;
    out[2] = (uint8_t)(bytes >> 8);
    out[3] = (uint8_t)bytes;
    head = 4;
  }
  memcpy(out + head, MASK, sizeof MASK);
  for (int i = 0; i < bytes; i++) out[head + 4 + i] = ((const uint8_t *)payload)[i] ^ MASK[i % 4];
  return head + 4 + bytes;
}

void agent_prepare(struct agent_frames *frames, const struct probe *probe) {
  frames->count = PROBE_FRAMES;
  frames->sample_rate = 16000;
  frames->payload_bytes = sizeof probe->pcm[0];
  for (int i = 0; i < frames->count; i++) wrap(frames->message[i], BINARY, probe->pcm[i], frames->payload_bytes);
}

void agent_prepare_song(struct agent_frames *frames, const struct song *song) {
  frames->count = song->frames;
  frames->sample_rate = 48000;
  frames->payload_bytes = sizeof song->pcm[0];
  for (int i = 0; i < frames->count; i++) wrap(frames->message[i], BINARY, song->pcm[i], frames->payload_bytes);
}

void agent_close(struct agent *agent) {
  if (agent->state != AGENT_GONE) close(agent->socket);
  agent->state = AGENT_GONE;
  free(agent->request);
  agent->request = NULL;
}

int agent_open(struct agent *agent, int port, const char *path, const char *key) {
  struct sockaddr_in peer = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  int yes = 1;
  memset(agent, 0, sizeof *agent);
  peer.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  agent->socket = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  if (agent->socket < 0) return 0;
  setsockopt(agent->socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  if (asprintf(&agent->request,
               "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
               "Authorization: Bearer %s\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
               "Sec-WebSocket-Version: 13\r\n\r\n",
               path, port, key) < 0)
    return 0;
  return connect(agent->socket, (struct sockaddr *)&peer, sizeof peer) == 0 || errno == EINPROGRESS;
}

/* Set-up messages are short and a fresh socket is empty: they go out whole or the connection is of no use. */
static void send_whole(struct agent *agent, const void *bytes, size_t count) {
  if (send(agent->socket, bytes, count, MSG_NOSIGNAL) != (ssize_t)count) agent_close(agent);
}

void agent_writable(struct agent *agent) {
  if (agent->state != AGENT_CONNECTING) return;
  agent->state = AGENT_UPGRADING;
  send_whole(agent, agent->request, strlen(agent->request));
  free(agent->request);
  agent->request = NULL;
}

/* Not all of them at the same place of a song. */
static unsigned place(const struct agent *agent, const struct agent_frames *frames, unsigned frame) {
  return (frame + (unsigned)agent->socket * 8) % (unsigned)frames->count;
}

void agent_send(struct agent *agent, const struct agent_frames *frames, int counting) {
  if (agent->state != AGENT_TALKING) return;
  const uint8_t *message = frames->message[place(agent, frames, agent->frame)];
  int from = 0, bytes = frames->payload_bytes + 8;
  if (agent->unsent > 0) {
    agent->blocked++;
    from = bytes - agent->unsent;
    message = frames->message[place(agent, frames, agent->frame - 1)];
  } else {
    agent->frame++;
    if (counting) agent->party.sent++;
  }
  ssize_t taken = send(agent->socket, message + from, (size_t)(bytes - from), MSG_NOSIGNAL);
  if (taken < 0 && errno != EAGAIN) return agent_close(agent);
  agent->unsent = bytes - from - (taken < 0 ? 0 : (int)taken);
}

static void take_error(struct agent *agent, const uint8_t *payload, int bytes) {
  static const char LOST[] = "\"lost_ms\":";
  const char *lost = memmem(payload, (size_t)bytes, LOST, sizeof LOST - 1);
  agent->errors++;
  if (lost == NULL || memmem(payload, (size_t)bytes, "\"audio_overrun\"", 15) == NULL) return;
  /* JSON ends with a brace: the digits do so, too. */
  agent->lost_ms += strtoul(lost + sizeof LOST - 1, NULL, 10);
}

static void take(struct agent *agent, const struct agent_frames *frames, struct parties *all, int opcode, const uint8_t *payload, int bytes,
                 double at_ms) {
  uint8_t reply[256];
  if (opcode == BINARY) {
    if (bytes == frames->payload_bytes) {
      if (frames->sample_rate == 48000)
        hear_song(&agent->party.listener, payload, all->counting);
      else
        hear_pcm(&agent->party.listener, payload, all->counting);
      party_received(&agent->party, all, at_ms);
    }
  } else if (opcode == PING && bytes < 126) {
    /* A pong in the middle of a message that is only half out would spoil it; the next ping gets its pong. */
    if (agent->unsent == 0) send_whole(agent, reply, (size_t)wrap(reply, PONG, payload, bytes));
  } else if (opcode == CLOSE) {
    agent_close(agent);
  } else if (opcode == TEXT) {
    if (agent->state == AGENT_CONFIGURING && memmem(payload, (size_t)bytes, "\"audio_config\"", 14) != NULL) {
      agent->state = AGENT_TALKING;
      party_begin(&agent->party, at_ms);
    }
    if (memmem(payload, (size_t)bytes, "\"call_error\"", 12) != NULL) take_error(agent, payload, bytes);
  }
}

/* Takes the messages that are whole; returns how many bytes they were. */
static int take_messages(struct agent *agent, const struct agent_frames *frames, struct parties *all, double at_ms) {
  int at = 0;
  while (agent->state != AGENT_GONE && agent->input_bytes - at >= 2) {
    const uint8_t *head = agent->input + at;
    int bytes = head[1] & 0x7f, head_bytes = bytes == 126 ? 4 : 2;
    if (bytes == 127 || head[1] & 0x80) return agent_close(agent), at;
    if (agent->input_bytes - at < head_bytes) break;
    if (bytes == 126) bytes = head[2] << 8 | head[3];
    if (head_bytes + bytes > AGENT_INPUT_BYTES) return agent_close(agent), at;
    if (agent->input_bytes - at < head_bytes + bytes) break;
    take(agent, frames, all, head[0] & 0x0f, head + head_bytes, bytes, at_ms);
    at += head_bytes + bytes;
  }
  return at;
}

/* Returns how many bytes the answer to the upgrade was; 0: not all of it is there. */
static int take_upgrade(struct agent *agent, const struct agent_frames *frames) {
  const uint8_t *end = memmem(agent->input, (size_t)agent->input_bytes, "\r\n\r\n", 4);
  if (end == NULL) return 0;
  if (memcmp(agent->input, "HTTP/1.1 101", 12) != 0) return agent_close(agent), 0;
  uint8_t message[192];
  char config[96];
  agent->state = AGENT_CONFIGURING;
  int length = snprintf(config, sizeof config, CONFIG, frames->sample_rate);
  send_whole(agent, message, (size_t)wrap(message, TEXT, config, length));
  return (int)(end - agent->input) + 4;
}

void agent_receive(struct agent *agent, const struct agent_frames *frames, struct parties *all, double at_ms) {
  if (agent->state == AGENT_GONE) return;
  ssize_t count = recv(agent->socket, agent->input + agent->input_bytes,
                       (size_t)(AGENT_INPUT_BYTES - agent->input_bytes), 0);
  if (count < 0 && errno == EAGAIN) return;
  if (count <= 0) return agent_close(agent);
  agent->input_bytes += (int)count;
  int taken = agent->state == AGENT_UPGRADING ? take_upgrade(agent, frames) : 0;
  if (agent->state >= AGENT_CONFIGURING && agent->state != AGENT_GONE) {
    agent->input_bytes -= taken;
    memmove(agent->input, agent->input + taken, (size_t)agent->input_bytes);
    taken = take_messages(agent, frames, all, at_ms);
  }
  if (taken == 0) return;
  agent->input_bytes -= taken;
  memmove(agent->input, agent->input + taken, (size_t)agent->input_bytes);
}
