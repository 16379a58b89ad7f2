/* libsamplerate, with the conversion to and from its floats; quality 2: sinc fastest, 1: medium. */
#include "filter.h"
#include <samplerate.h>

static SRC_STATE *state;

static void start(void) {
  int error;
  state = src_new(quality, 1, &error);
  if (!state) exit(1);
}

static void stop(void) { src_delete(state); }

static long convert(const int16_t *in, long length, int16_t *out, long room) {
  static float from[MOST_FRAME], to[ROOM];
  src_short_to_float_array(in, from, (int)length);
  SRC_DATA data = {.data_in = from,
                   .data_out = to,
                   .input_frames = length,
                   .output_frames = room,
                   .src_ratio = (double)out_rate / in_rate};
  if (src_process(state, &data) != 0) exit(1);
  src_float_to_short_array(to, out, (int)data.output_frames_gen);
  return data.output_frames_gen;
}
