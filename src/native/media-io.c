/*
 * Functions that Node lacks. For media threads: UDP on all sockets of a thread at once (udp-sockets.h) and timely
 * wake-ups (on-time.h). For the main thread: returning unused memory to the system (heap.h,
 * object-heap.h). A Node-API addon for Linux. Each thread that loads it has its own sockets, which are closed when the
 * thread ends.
 */
#define _GNU_SOURCE
#include <node_api.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>
#include "heap.h"
#include "napi-helpers.h"
#include "object-heap.h"
#include "on-time.h"
#include "udp-sockets.h"

/* Incremented with every change of the interface to JavaScript. */
#define INTERFACE_VERSION 7

static UdpSockets *arguments(napi_env env, napi_callback_info info, size_t count, napi_value *values) {
  UdpSockets *io = NULL;
  napi_get_cb_info(env, info, &count, values, NULL, NULL);
  napi_get_instance_data(env, (void **)&io);
  return io;
}

/* Binds a socket to the arguments host, port, receiveBufferBytes. */
static int bound_socket(napi_env env, napi_value *values) {
  char host[UDP_HOST_BYTES] = "";
  napi_get_value_string_utf8(env, values[0], host, sizeof host, NULL);
  return udp_bind(host, int_of(env, values[1]), int_of(env, values[2]));
}

/* open(host, port, receiveBufferBytes): the socket's number, or a negative errno. */
static napi_value open_(napi_env env, napi_callback_info info) {
  napi_value values[3];
  UdpSockets *io = arguments(env, info, 3, values);
  const int fd = bound_socket(env, values);
  return value_of(env, fd < 0 ? fd : udp_adopt(io, fd, int_of(env, values[2])));
}

/* reserve(host, port, receiveBufferBytes): the descriptor of a socket of no thread, or a negative errno. */
static napi_value reserve(napi_env env, napi_callback_info info) {
  napi_value values[3];
  arguments(env, info, 3, values);
  return value_of(env, bound_socket(env, values));
}

/* adopt(descriptor, receiveBufferBytes): like `open`, for a reserved socket. It then belongs to this thread. */
static napi_value adopt(napi_env env, napi_callback_info info) {
  napi_value values[2];
  UdpSockets *io = arguments(env, info, 2, values);
  return value_of(env, udp_adopt(io, int_of(env, values[0]), int_of(env, values[1])));
}

/* clear(descriptor): discards the datagrams that a reserved socket has received so far. */
static napi_value clear(napi_env env, napi_callback_info info) {
  napi_value value;
  arguments(env, info, 1, &value);
  udp_clear(int_of(env, value));
  return NULL;
}

/* release(descriptor): closes a reserved socket that was not adopted. */
static napi_value release(napi_env env, napi_callback_info info) {
  napi_value value;
  arguments(env, info, 1, &value);
  close(int_of(env, value));
  return NULL;
}

/* close(socket) */
static napi_value close_(napi_env env, napi_callback_info info) {
  napi_value value;
  UdpSockets *io = arguments(env, info, 1, &value);
  udp_close(io, int_of(env, value));
  return NULL;
}

/* aim(socket, host, port): sets the destination. A negative errno if `host` is not an IP address. */
static napi_value aim(napi_env env, napi_callback_info info) {
  napi_value values[3];
  UdpSockets *io = arguments(env, info, 3, values);
  char host[UDP_HOST_BYTES] = "";
  napi_get_value_string_utf8(env, values[1], host, sizeof host, NULL);
  return value_of(env, udp_aim(io, int_of(env, values[0]), host, int_of(env, values[2])));
}

/* receive(): the number of records filled. */
static napi_value receive(napi_env env, napi_callback_info info) {
  return value_of(env, udp_receive(arguments(env, info, 0, NULL)));
}

/* source(record): its source address as text. */
static napi_value source(napi_env env, napi_callback_info info) {
  napi_value value;
  UdpSockets *io = arguments(env, info, 1, &value);
  char text[UDP_HOST_BYTES];
  udp_source(io, int_of(env, value), text);
  napi_create_string_utf8(env, text, NAPI_AUTO_LENGTH, &value);
  return value;
}

/* send(bytes) */
static napi_value send_(napi_env env, napi_callback_info info) {
  napi_value value;
  UdpSockets *io = arguments(env, info, 1, &value);
  udp_send(io, (size_t)int_of(env, value));
  return NULL;
}

/* unsent(socket), overflowed(socket) */
static napi_value unsent(napi_env env, napi_callback_info info) {
  napi_value value;
  UdpSockets *io = arguments(env, info, 1, &value);
  return value_of(env, (int32_t)udp_unsent(io, int_of(env, value)));
}

static napi_value overflowed(napi_env env, napi_callback_info info) {
  napi_value value;
  UdpSockets *io = arguments(env, info, 1, &value);
  return value_of(env, (int32_t)udp_overflowed(io, int_of(env, value)));
}

/* use(receiveBuffer, recordBytes, sendBuffer): ArrayBuffers that are kept until the thread ends. */
static napi_value use(napi_env env, napi_callback_info info) {
  napi_value values[3];
  UdpSockets *io = arguments(env, info, 3, values);
  napi_ref kept;
  size_t bytes = 0;
  napi_get_arraybuffer_info(env, values[0], (void **)&io->received, &bytes);
  napi_get_arraybuffer_info(env, values[2], (void **)&io->unsent, &io->unsent_bytes);
  io->record_bytes = int_of(env, values[1]);
  io->records = io->record_bytes > RECORD_HEADER_BYTES ? (int)(bytes / (size_t)io->record_bytes) : 0;
  napi_create_reference(env, values[0], 1, &kept);
  napi_create_reference(env, values[2], 1, &kept);
  return NULL;
}

/* sleep(milliseconds) */
static napi_value sleep_(napi_env env, napi_callback_info info) {
  napi_value value;
  double milliseconds = 0;
  struct uv_loop_s *loop = NULL;
  arguments(env, info, 1, &value);
  napi_get_value_double(env, value, &milliseconds);
  if (napi_get_uv_event_loop(env, &loop) == napi_ok) sleep_on(loop, milliseconds);
  return NULL;
}

/* beOnTime(outweighsMain): 0, or a negative errno. */
static napi_value be_on_time_(napi_env env, napi_callback_info info) {
  napi_value value;
  bool outweighs_main = false;
  arguments(env, info, 1, &value);
  napi_get_value_bool(env, value, &outweighs_main);
  return value_of(env, be_on_time(outweighs_main));
}

/* precede(cpuMs): 0, or a negative errno. */
static napi_value precede(napi_env env, napi_callback_info info) {
  napi_value value;
  double cpu_ms = 0;
  arguments(env, info, 1, &value);
  napi_get_value_double(env, value, &cpu_ms);
  return value_of(env, precede_others(cpu_ms));
}

/* giveHeapBack() */
static napi_value give_heap_back_(napi_env env, napi_callback_info info) {
  (void)info;
  give_heap_back(env);
  return NULL;
}

/* reduceObjectHeap() */
static napi_value reduce_object_heap_(napi_env env, napi_callback_info info) {
  (void)env;
  (void)info;
  reduce_object_heap();
  return NULL;
}

static void end(napi_env env, void *data, void *hint) {
  (void)env;
  (void)hint;
  forget_precedence();
  udp_close_all(data);
  free(data);
}

NAPI_MODULE_INIT() {
  UdpSockets *io = calloc(1, sizeof *io);
  if (io == NULL) return NULL;
  io->first_ready = -1;
  io->epoll = epoll_create1(EPOLL_CLOEXEC);
  /* Runs whenever the thread ends, also after an error. */
  napi_set_instance_data(env, io, end, NULL);
  napi_set_named_property(env, exports, "version", value_of(env, INTERFACE_VERSION));
  add(env, exports, "use", use);
  add(env, exports, "open", open_);
  add(env, exports, "reserve", reserve);
  add(env, exports, "adopt", adopt);
  add(env, exports, "clear", clear);
  add(env, exports, "release", release);
  add(env, exports, "close", close_);
  add(env, exports, "aim", aim);
  add(env, exports, "receive", receive);
  add(env, exports, "source", source);
  add(env, exports, "send", send_);
  add(env, exports, "unsent", unsent);
  add(env, exports, "overflowed", overflowed);
  add(env, exports, "sleep", sleep_);
  add(env, exports, "beOnTime", be_on_time_);
  add(env, exports, "precede", precede);
  add(env, exports, "giveHeapBack", give_heap_back_);
  add(env, exports, "reduceObjectHeap", reduce_object_heap_);
  return exports;
}
