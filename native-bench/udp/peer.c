/*
 * The phones: N sockets, each with its own place in the 20 ms, that send a packet and take what came. It asks its
 * sockets and never waits on them, so that a sender pays for no wake-up here. `mode` "shared": all send to one port.
 */
#include "sockets.h"

int main(int argc, char **argv) {
  struct job job = job_of(argc, argv);
  int shared = strcmp(job.mode, "shared") == 0;
  int *fds = open_sockets(job.sockets, job.port);
  for (int i = 0; i < job.sockets; i++) {
    struct sockaddr_in target = loopback(job.peer_port + (shared ? 0 : 2 * i));
    if (connect(fds[i], (struct sockaddr *)&target, sizeof target) < 0) die("connect");
  }
  struct counts counts = {0};
  uint8_t packet[ROOM_BYTES];
  int64_t origin = now_ns();
  for (int step = 0; step < job.ticks * 20; step++) {
    sleep_until(origin + step * (TICK_NS / 20));
    for (int i = step % 20; i < job.sockets; i += 20) {
      for (;;) {
        ssize_t bytes = recv(fds[i], packet, sizeof packet, MSG_DONTWAIT);
        if (bytes <= 0) break;
        count_packet(&counts, packet, bytes);
      }
      write_packet(packet, (uint16_t)(step / 20));
      if (send(fds[i], packet, PACKET_BYTES, MSG_DONTWAIT) > 0) counts.sent++;
    }
  }
  report(&counts, cpu_us());
  return 0;
}
