/*
 * The least that a gateway can do to set up a call: answers each INVITE at once with 200, sends one RTP packet at the
 * ACK, answers BYE. It shows what the caller and the machine cost by themselves.
 *
 * sip-responder HOST SIP_PORT RTP_PORT
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MESSAGE_BYTES 4096

static int udp_socket(const char *host, int port) {
  int fd = socket(AF_INET, SOCK_DGRAM, 0);
  struct sockaddr_in local = {.sin_family = AF_INET, .sin_port = htons(port)};
  inet_pton(AF_INET, host, &local.sin_addr);
  if (fd < 0 || bind(fd, (struct sockaddr *)&local, sizeof local) != 0) {
    perror("bind");
    exit(1);
  }
  return fd;
}

/* The headers that a response repeats. */
static int repeated(const char *request, char *reply, int length) {
  static const char *names[] = {"Via:", "From:", "To:", "Call-ID:", "CSeq:"};
  for (const char *line = strstr(request, "\r\n"); line != NULL && line[2] != '\r'; line = strstr(line + 2, "\r\n")) {
    for (int i = 0; i < 5; i++) {
      if (strncasecmp(line + 2, names[i], strlen(names[i])) != 0) continue;
      int bytes = (int)strcspn(line + 2, "\r");
      length += snprintf(reply + length, MESSAGE_BYTES - length, "%.*s%s\r\n", bytes, line + 2,
        i == 2 && memmem(line + 2, bytes, "tag=", 4) == NULL ? ";tag=r" : "");
    }
  }
  return length;
}

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  const char *host = argv[1];
  int sip = udp_socket(host, atoi(argv[2])), rtp = udp_socket(host, atoi(argv[3]));
  static int ports[65536];
  for (;;) {
    char request[65536], reply[MESSAGE_BYTES];
    struct sockaddr_in from;
    socklen_t from_length = sizeof from;
    ssize_t got = recvfrom(sip, request, sizeof request - 1, 0, (struct sockaddr *)&from, &from_length);
    if (got <= 0) return 1;
    request[got] = 0;
    int line = 0, number = 0;
    const char *call_id = strcasestr(request, "Call-ID: "), *media = strstr(request, "m=audio ");
    if (call_id != NULL) sscanf(call_id + 9, "%d-%d", &line, &number);
    if (media != NULL) ports[number & 65535] = atoi(media + 8);
    if (strncmp(request, "ACK", 3) == 0) {
      char packet[172] = {(char)0x80};
      struct sockaddr_in to = from;
      to.sin_port = htons(ports[number & 65535]);
      sendto(rtp, packet, sizeof packet, 0, (struct sockaddr *)&to, sizeof to);
      continue;
    }
    char sdp[512];
    int sdp_length = media == NULL ? 0 : snprintf(sdp, sizeof sdp,
      "v=0\r\no=- 1 1 IN IP4 %s\r\ns=-\r\nc=IN IP4 %s\r\nt=0 0\r\nm=audio %s RTP/AVP 0\r\na=rtpmap:0 PCMU/8000\r\n",
      host, host, argv[3]);
    int length = snprintf(reply, sizeof reply, "SIP/2.0 200 OK\r\n");
    length = repeated(request, reply, length);
    length += snprintf(reply + length, sizeof reply - length,
      "Contact: <sip:responder@%s:%s>\r\nContent-Type: application/sdp\r\nContent-Length: %d\r\n\r\n%.*s", host, argv[2],
      sdp_length, sdp_length, sdp);
    sendto(sip, reply, length, 0, (struct sockaddr *)&from, from_length);
  }
}
