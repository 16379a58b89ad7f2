#ifndef OPUS_SONG_H
#define OPUS_SONG_H
#include <stdint.h>

enum { OPUS_SAMPLES = 960, SONG_MAX_FRAMES = 1024, SONG_PACKET_BYTES = 1275 };

/** A recording that Opus phones play in a loop, 20 ms per packet, and agents as PCM. */
struct song {
  int frames;
  int payload_type;
  int16_t pcm[SONG_MAX_FRAMES][OPUS_SAMPLES];
  uint8_t packet[SONG_MAX_FRAMES][SONG_PACKET_BYTES];
  int packet_bytes[SONG_MAX_FRAMES];
};

/**
 * Reads 16-bit samples at 48 kHz and encodes them with the system's libopus (VoIP, mono), which is loaded here. The
 * last of several passes is kept, so that the loop is seamless. Returns NULL, or the reason for a failure.
 */
const char *song_open(struct song *song, const char *file, int payload_type, int complexity, int bits_a_second);
/** Creates a decoder for one phone, or returns NULL. */
void *song_decoder(void);
/** Returns the number of samples, at most OPUS_SAMPLES; negative: no Opus. */
int song_decode(void *decoder, const uint8_t *packet, int bytes, int16_t *pcm);
#endif
