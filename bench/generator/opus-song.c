#include "opus-song.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stddef.h>

/* Numbers of opus_defines.h; its header need not be installed. */
enum { RATE = 48000, VOIP = 2048, SET_BITRATE = 4002, SET_COMPLEXITY = 4010, PASSES = 3 };

static void *(*create_encoder)(int32_t rate, int channels, int application, int *error);
static int (*control_encoder)(void *encoder, int request, ...);
static int32_t (*encode)(void *encoder, const int16_t *pcm, int samples, uint8_t *packet, int32_t most);
static void *(*create_decoder)(int32_t rate, int channels, int *error);
static int (*decode)(void *decoder, const uint8_t *packet, int32_t bytes, int16_t *pcm, int samples, int fec);

static int load(void) {
  void *library = dlopen("libopus.so.0", RTLD_NOW);
  if (library == NULL) return 0;
  /* POSIX lets functions come out of dlsym; ISO C has no cast for it. */
  *(void **)&create_encoder = dlsym(library, "opus_encoder_create");
  *(void **)&control_encoder = dlsym(library, "opus_encoder_ctl");
  *(void **)&encode = dlsym(library, "opus_encode");
  *(void **)&create_decoder = dlsym(library, "opus_decoder_create");
  *(void **)&decode = dlsym(library, "opus_decode");
  return create_encoder && control_encoder && encode && create_decoder && decode;
}

static int read_samples(struct song *song, const char *name) {
  FILE *file = fopen(name, "rb");
  if (file == NULL) return 0;
  song->frames = (int)fread(song->pcm, sizeof song->pcm[0], SONG_MAX_FRAMES, file);
  fclose(file);
  return song->frames > 0;
}

const char *song_open(struct song *song, const char *file, int payload_type, int complexity, int bits_a_second) {
  int error = 0;
  if (!load()) return "no libopus.so.0: apt-get install libopus0";
  if (!read_samples(song, file)) return "no samples to encode";
  void *encoder = create_encoder(RATE, 1, VOIP, &error);
  if (encoder == NULL) return "no Opus encoder";
  control_encoder(encoder, SET_BITRATE, bits_a_second);
  control_encoder(encoder, SET_COMPLEXITY, complexity);
  for (int i = 0; i < PASSES * song->frames; i++) {
    int frame = i % song->frames;
    song->packet_bytes[frame] =
        encode(encoder, song->pcm[frame], OPUS_SAMPLES, song->packet[frame], SONG_PACKET_BYTES);
    if (song->packet_bytes[frame] <= 0) return "Opus did not encode";
  }
  song->payload_type = payload_type;
  return NULL;
}

void *song_decoder(void) {
  int error;
  return create_decoder(RATE, 1, &error);
}

int song_decode(void *decoder, const uint8_t *packet, int bytes, int16_t *pcm) {
  return decode(decoder, packet, bytes, pcm, OPUS_SAMPLES, 0);
}
