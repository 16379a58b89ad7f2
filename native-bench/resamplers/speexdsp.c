/* libspeexdsp; quality 0 to 10. */
#include "filter.h"
#include <speex/speex_resampler.h>

static SpeexResamplerState *state;

static void start(void) {
  int error;
  state = speex_resampler_init(1, (spx_uint32_t)in_rate, (spx_uint32_t)out_rate, quality, &error);
  if (!state) exit(1);
}

static void stop(void) { speex_resampler_destroy(state); }

static long convert(const int16_t *in, long length, int16_t *out, long room) {
  spx_uint32_t taken = (spx_uint32_t)length, made = (spx_uint32_t)room;
  speex_resampler_process_int(state, 0, in, &taken, out, &made);
  return made;
}
