/*
 * libopus for one thread. The system's library is loaded together with this Node-API addon, so neither the library nor
 * its headers are needed to compile. Each thread has its own encoders and decoders, which are freed when it ends.
 *
 * Packets and samples pass through two buffers that JavaScript owns and both sides read and write. Streams are positive
 * numbers. Calls that can fail return one of libopus' negative error codes.
 */
#include <dlfcn.h>
#include <node_api.h>
#include <stdint.h>
#include <stdlib.h>
#include "napi-helpers.h"

/* Incremented with every change of the interface to JavaScript. */
#define INTERFACE_VERSION 2
/* More than a thread can serve in time. Reaching the limit means that streams are leaking. */
#define MAX_STREAMS 8192
#define CHANNELS 1
/* opus_defines.h */
#define OPUS_BAD_ARG (-1)
#define OPUS_ALLOC_FAIL (-7)
#define OPUS_APPLICATION_VOIP 2048

/* The interface of libopus, unchanged since version 1.0. */
typedef struct {
  void *(*encoder_create)(int32_t rate, int channels, int application, int *error);
  void (*encoder_destroy)(void *encoder);
  int (*encoder_ctl)(void *encoder, int request, ...);
  int32_t (*encode)(void *encoder, const int16_t *samples, int count, uint8_t *packet, int32_t max_bytes);
  void *(*decoder_create)(int32_t rate, int channels, int *error);
  void (*decoder_destroy)(void *decoder);
  int (*decoder_ctl)(void *decoder, int request, ...);
  int (*decode)(void *decoder, const uint8_t *packet, int32_t bytes, int16_t *samples, int count, int fec);
  const char *(*version)(void);
} Library;

typedef enum { FREE, ENCODER, DECODER } Kind;

typedef struct {
  Kind kind;
  void *state;
} Stream;

/* State of one thread. */
typedef struct {
  void *handle;
  Library library;
  Stream *streams; /* number 1 is the first */
  int capacity;
  uint8_t *packet;
  size_t packet_bytes;
  int16_t *samples;
  size_t sample_count;
} Opus;

/* Reads the arguments, which are numbers in every function except `use`. */
static Opus *numbers(napi_env env, napi_callback_info info, size_t count, int32_t *values) {
  napi_value given[4];
  Opus *opus = NULL;
  napi_get_cb_info(env, info, &count, given, NULL, NULL);
  for (size_t i = 0; i < count && i < 4; i++) values[i] = int_of(env, given[i]);
  napi_get_instance_data(env, (void **)&opus);
  return opus;
}

static Stream *stream_at(Opus *opus, int32_t number, Kind kind) {
  if (number < 1 || number > opus->capacity) return NULL;
  Stream *stream = &opus->streams[number - 1];
  return stream->kind == kind ? stream : NULL;
}

/* ---- opening and closing ---- */

/* Returns the number of a free stream, or 0 if there is none. */
static int free_number(Opus *opus) {
  for (int i = 0; i < opus->capacity; i++) {
    if (opus->streams[i].kind == FREE) return i + 1;
  }
  if (opus->capacity >= MAX_STREAMS) return 0;
  const int capacity = opus->capacity == 0 ? 64 : opus->capacity * 2;
  Stream *streams = realloc(opus->streams, (size_t)capacity * sizeof *streams);
  if (streams == NULL) return 0;
  for (int i = opus->capacity; i < capacity; i++) streams[i] = (Stream){.kind = FREE};
  const int number = opus->capacity + 1;
  opus->streams = streams;
  opus->capacity = capacity;
  return number;
}

static void end_stream(Opus *opus, Stream *stream) {
  if (stream->kind == ENCODER) opus->library.encoder_destroy(stream->state);
  if (stream->kind == DECODER) opus->library.decoder_destroy(stream->state);
  *stream = (Stream){.kind = FREE};
}

static int32_t open_stream(Opus *opus, Kind kind, int32_t rate) {
  const int number = free_number(opus);
  if (number == 0) return OPUS_ALLOC_FAIL;
  int error = 0;
  void *state = kind == ENCODER ? opus->library.encoder_create(rate, CHANNELS, OPUS_APPLICATION_VOIP, &error)
                                : opus->library.decoder_create(rate, CHANNELS, &error);
  if (state == NULL) return error < 0 ? error : OPUS_ALLOC_FAIL;
  opus->streams[number - 1] = (Stream){.kind = kind, .state = state};
  return number;
}

/* openEncoder(rateHz), openDecoder(rateHz): the number of the stream. */
static napi_value open_encoder(napi_env env, napi_callback_info info) {
  int32_t rate = 0;
  Opus *opus = numbers(env, info, 1, &rate);
  return value_of(env, open_stream(opus, ENCODER, rate));
}

static napi_value open_decoder(napi_env env, napi_callback_info info) {
  int32_t rate = 0;
  Opus *opus = numbers(env, info, 1, &rate);
  return value_of(env, open_stream(opus, DECODER, rate));
}

/* close(stream): does nothing if the stream is already closed. */
static napi_value close_(napi_env env, napi_callback_info info) {
  int32_t number = 0;
  Opus *opus = numbers(env, info, 1, &number);
  if (number >= 1 && number <= opus->capacity) end_stream(opus, &opus->streams[number - 1]);
  return NULL;
}

/* ---- coding ---- */

/* control(stream, request, value): for requests that set a number or reset the stream. */
static napi_value control(napi_env env, napi_callback_info info) {
  int32_t values[4] = {0};
  Opus *opus = numbers(env, info, 3, values);
  Stream *encoder = stream_at(opus, values[0], ENCODER);
  if (encoder != NULL) return value_of(env, opus->library.encoder_ctl(encoder->state, values[1], values[2]));
  Stream *decoder = stream_at(opus, values[0], DECODER);
  if (decoder != NULL) return value_of(env, opus->library.decoder_ctl(decoder->state, values[1], values[2]));
  return value_of(env, OPUS_BAD_ARG);
}

/* encode(stream, samples, maxBytes): the length of the packet. */
static napi_value encode(napi_env env, napi_callback_info info) {
  int32_t values[4] = {0};
  Opus *opus = numbers(env, info, 3, values);
  Stream *encoder = stream_at(opus, values[0], ENCODER);
  const int32_t count = values[1];
  const int32_t max_bytes = values[2];
  if (encoder == NULL || count < 1 || (size_t)count > opus->sample_count) return value_of(env, OPUS_BAD_ARG);
  if (max_bytes < 1 || (size_t)max_bytes > opus->packet_bytes) return value_of(env, OPUS_BAD_ARG);
  return value_of(env, opus->library.encode(encoder->state, opus->samples, count, opus->packet, max_bytes));
}

/* decode(stream, bytes, samples, fec): the number of samples. With 0 bytes libopus conceals a loss. */
static napi_value decode(napi_env env, napi_callback_info info) {
  int32_t values[4] = {0};
  Opus *opus = numbers(env, info, 4, values);
  Stream *decoder = stream_at(opus, values[0], DECODER);
  const int32_t bytes = values[1];
  const int32_t count = values[2];
  if (decoder == NULL || bytes < 0 || (size_t)bytes > opus->packet_bytes) return value_of(env, OPUS_BAD_ARG);
  if (count < 1 || (size_t)count > opus->sample_count) return value_of(env, OPUS_BAD_ARG);
  const uint8_t *packet = bytes == 0 ? NULL : opus->packet;
  return value_of(env, opus->library.decode(decoder->state, packet, bytes, opus->samples, count, values[3]));
}

/* ---- the module ---- */

/* use(packet, samples): sets the buffers for packets and samples. */
static napi_value use(napi_env env, napi_callback_info info) {
  size_t count = 2;
  napi_value values[2];
  Opus *opus = NULL;
  napi_ref kept;
  size_t bytes = 0;
  napi_get_cb_info(env, info, &count, values, NULL, NULL);
  napi_get_instance_data(env, (void **)&opus);
  napi_get_arraybuffer_info(env, values[0], (void **)&opus->packet, &opus->packet_bytes);
  napi_get_arraybuffer_info(env, values[1], (void **)&opus->samples, &bytes);
  opus->sample_count = bytes / sizeof(int16_t);
  napi_create_reference(env, values[0], 1, &kept);
  napi_create_reference(env, values[1], 1, &kept);
  return NULL;
}

static void end(napi_env env, void *data, void *hint) {
  (void)env;
  (void)hint;
  Opus *opus = data;
  for (int i = 0; i < opus->capacity; i++) end_stream(opus, &opus->streams[i]);
  if (opus->handle != NULL) dlclose(opus->handle);
  free(opus->streams);
  free(opus);
}

/* ISO C cannot convert a data pointer to a function pointer, but POSIX requires it for dlsym. */
static int find(Opus *opus, const char *name, void *function) {
  *(void **)function = dlsym(opus->handle, name);
  return *(void **)function != NULL;
}

static int load(Opus *opus) {
  Library *library = &opus->library;
  opus->handle = dlopen("libopus.so.0", RTLD_NOW | RTLD_LOCAL);
  if (opus->handle == NULL) return 0;
  return find(opus, "opus_encoder_create", &library->encoder_create) &&
         find(opus, "opus_encoder_destroy", &library->encoder_destroy) &&
         find(opus, "opus_encoder_ctl", &library->encoder_ctl) && find(opus, "opus_encode", &library->encode) &&
         find(opus, "opus_decoder_create", &library->decoder_create) &&
         find(opus, "opus_decoder_destroy", &library->decoder_destroy) &&
         find(opus, "opus_decoder_ctl", &library->decoder_ctl) && find(opus, "opus_decode", &library->decode) &&
         find(opus, "opus_get_version_string", &library->version);
}

NAPI_MODULE_INIT() {
  Opus *opus = calloc(1, sizeof *opus);
  if (opus == NULL) return NULL;
  /* Runs whenever the thread ends, also after an error. */
  napi_set_instance_data(env, opus, end, NULL);
  if (!load(opus)) {
    napi_throw_error(env, NULL, "the system has no libopus.so.0");
    return NULL;
  }
  napi_value library;
  napi_create_string_utf8(env, opus->library.version(), NAPI_AUTO_LENGTH, &library);
  napi_set_named_property(env, exports, "version", value_of(env, INTERFACE_VERSION));
  napi_set_named_property(env, exports, "library", library);
  add(env, exports, "use", use);
  add(env, exports, "openEncoder", open_encoder);
  add(env, exports, "openDecoder", open_decoder);
  add(env, exports, "close", close_);
  add(env, exports, "control", control);
  add(env, exports, "encode", encode);
  add(env, exports, "decode", decode);
  return exports;
}
