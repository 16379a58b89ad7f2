#ifndef OPUS_SONG_H
#define OPUS_SONG_H
#include <stdint.h>

enum { OPUS_SAMPLES = 960, SONG_MAX_FRAMES = 1024, SONG_PACKET_BYTES = 1275 };

/** What Opus phones say over and over, 20 ms a packet, and what agents say beside them. */
struct song {
  int frames;
  int payload_type;
  int16_t pcm[SONG_MAX_FRAMES][OPUS_SAMPLES];
  uint8_t packet[SONG_MAX_FRAMES][SONG_PACKET_BYTES];
  int packet_bytes[SONG_MAX_FRAMES];
};

/**
 * Reads 16-bit samples at 48 kHz and encodes them with the libopus of the machine, which is loaded here: VoIP, mono. The
 * last of several passes is taken, so that the end continues into the beginning. NULL: it went well; otherwise why not.
 */
const char *song_open(struct song *song, const char *file, int payload_type, int complexity, int bits_a_second);
/** A decoder of its own for every phone; NULL: there is none. */
void *song_decoder(void);
/** Returns the number of samples, at most OPUS_SAMPLES; negative: no Opus. */
int song_decode(void *decoder, const uint8_t *packet, int bytes, int16_t *pcm);
#endif
