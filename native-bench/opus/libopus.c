/*
 * libopus itself: encodes a file of 16-bit samples at 48 kHz in frames of 20 ms, decodes the packets, writes what comes out.
 *   libopus in-file out-file application complexity bits-a-second fec lose
 * fec: 1 lets the encoder repeat each frame in the packet after it, for 10 % of loss. lose: 0 nothing; 1 every tenth packet,
 * which is concealed; 2 the same, but what the next packet repeats of it is used.
 * Prints µs of CPU a frame, bytes a packet, and the memory of an instance.
 */
#define _GNU_SOURCE
#include <opus/opus.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { RATE = 48000, FRAME = 960, MOST_FRAMES = 2000, MOST_BYTES = 1275, LOSE_EVERY = 10 };

static int16_t input[MOST_FRAMES * FRAME], output[MOST_FRAMES * FRAME];
static uint8_t packets[MOST_FRAMES][MOST_BYTES];
static int lengths[MOST_FRAMES];

static double cpu_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static OpusEncoder *new_encoder(char **arguments) {
  int error;
  OpusEncoder *encoder = opus_encoder_create(RATE, 1, atoi(arguments[0]), &error);
  if (error != OPUS_OK) exit(1);
  opus_encoder_ctl(encoder, OPUS_SET_COMPLEXITY(atoi(arguments[1])));
  opus_encoder_ctl(encoder, OPUS_SET_BITRATE(atoi(arguments[2])));
  opus_encoder_ctl(encoder, OPUS_SET_INBAND_FEC(atoi(arguments[3])));
  opus_encoder_ctl(encoder, OPUS_SET_PACKET_LOSS_PERC(atoi(arguments[3]) ? 10 : 0));
  return encoder;
}

/* One packet into one frame of output. */
static void decode(OpusDecoder *decoder, int frame, int frames, int lose) {
  int16_t *to = output + (size_t)frame * FRAME;
  int lost = lose && frame % LOSE_EVERY == LOSE_EVERY - 1;
  if (!lost)
    opus_decode(decoder, packets[frame], lengths[frame], to, FRAME, 0);
  else if (lose == 2 && frame + 1 < frames)
    opus_decode(decoder, packets[frame + 1], lengths[frame + 1], to, FRAME, 1);
  else
    opus_decode(decoder, NULL, 0, to, FRAME, 0);
}

int main(int argc, char **argv) {
  if (argc != 8) return 2;
  FILE *file = fopen(argv[1], "rb");
  if (!file) return 2;
  int frames = (int)(fread(input, sizeof *input, MOST_FRAMES * FRAME, file) / FRAME), error, lose = atoi(argv[7]);
  fclose(file);
  OpusEncoder *encoder = new_encoder(argv + 3);
  OpusDecoder *decoder = opus_decoder_create(RATE, 1, &error);
  if (error != OPUS_OK) return 1;
  double began = cpu_us(), bytes = 0;
  for (int i = 0; i < frames; i++) {
    lengths[i] = opus_encode(encoder, input + (size_t)i * FRAME, FRAME, packets[i], MOST_BYTES);
    bytes += lengths[i];
  }
  double encoded = cpu_us();
  for (int i = 0; i < frames; i++) decode(decoder, i, frames, lose);
  double decoded = cpu_us();
  file = fopen(argv[2], "wb");
  if (!file || fwrite(output, sizeof *output * FRAME, (size_t)frames, file) != (size_t)frames) return 2;
  fclose(file);
  printf("{\"encodeUs\":%.2f,\"decodeUs\":%.2f,\"packetBytes\":%.1f,\"pairKb\":%.1f}\n", (encoded - began) / frames,
         (decoded - encoded) / frames, bytes / frames,
         (opus_encoder_get_size(1) + opus_decoder_get_size(1)) / 1024.0);
  return 0;
}
