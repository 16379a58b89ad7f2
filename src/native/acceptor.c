/*
 * Accepts TCP connections for several threads of this process. It looks at the first bytes of each connection before
 * anybody has read them, and hands over the descriptor: a WebSocket can live on the event loop of any thread, but not
 * change it later. A Node-API addon for Linux.
 *
 * The kernel reports a connection once its first bytes are there (TCP_DEFER_ACCEPT), so there is nothing to wait for here.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/tcp.h>
#include <netdb.h>
#include <netinet/in.h>
#include <node_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "connections.h"
#include "napi-helpers.h"

/* Incremented with every change of the interface to JavaScript. */
#define INTERFACE_VERSION 3
#define BACKLOG 512
/* Time that a connection has for its first byte before it is reported without any. */
#define DEFER_S 1
/* Accepted at a time, so that many connections do not hold up the thread. */
#define MAX_ACCEPTED 64
#define MAX_HEAD_BYTES 4096
#define MAX_PREFIX_BYTES 64
#define MAX_HOST_BYTES 256

/* Declared by libuv, exported by Node: https://docs.libuv.org/en/v1.x/poll.html and /handle.html */
#define UV_POLL 8
#define UV_READABLE 1
typedef struct uv_poll_s Poll;
typedef struct uv_handle_s Handle;
typedef struct uv_loop_s Loop;
size_t uv_handle_size(int type);
int uv_handle_get_type(const Handle *handle);
int uv_fileno(const Handle *handle, int *fd);
int uv_is_closing(const Handle *handle);
int uv_poll_init(Loop *loop, Poll *poll, int fd);
int uv_poll_start(Poll *poll, int events, void (*answer)(Poll *, int status, int events));
int uv_poll_stop(Poll *poll);
void uv_walk(Loop *loop, void (*visit)(Handle *, void *), void *argument);
void uv_close(Handle *handle, void (*closed)(Handle *));
void *uv_handle_get_data(const Handle *handle);
void uv_handle_set_data(Handle *handle, void *data);

typedef struct {
  napi_env env;
  napi_ref accepted;
  napi_async_context context;
  napi_async_cleanup_hook_handle cleanup;
  Poll *poll;
  int fd;
  /* Given up for a moment to refuse a connection when the process has no descriptor left. */
  int spare;
  size_t prefix_bytes;
  char prefix[MAX_PREFIX_BYTES];
} Listener;

static int open_spare(void) { return open("/dev/null", O_RDONLY | O_CLOEXEC); }

static void throw_uncaught(napi_env env) {
  napi_value error;
  if (napi_get_and_clear_last_exception(env, &error) == napi_ok) napi_fatal_exception(env, error);
}

/* The head of the connection if it begins with the prefix, else undefined. */
static napi_value head_of(const Listener *listener, int fd) {
  char head[MAX_HEAD_BYTES];
  napi_value value;
  const ssize_t length = recv(fd, head, sizeof head, MSG_PEEK | MSG_DONTWAIT);
  const bool is_meant =
    length >= (ssize_t)listener->prefix_bytes && memcmp(head, listener->prefix, listener->prefix_bytes) == 0;
  if (is_meant) napi_create_string_latin1(listener->env, head, (size_t)length, &value);
  else napi_get_undefined(listener->env, &value);
  return value;
}

static void hand_over(const Listener *listener, int fd) {
  const napi_env env = listener->env;
  const int on = 1;
  napi_handle_scope scope;
  napi_value function, global;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (napi_open_handle_scope(env, &scope) != napi_ok) {
    close(fd);
    return;
  }
  napi_value arguments[] = {value_of(env, fd), head_of(listener, fd)};
  napi_get_reference_value(env, listener->accepted, &function);
  napi_get_global(env, &global);
  if (napi_make_callback(env, listener->context, global, function, 2, arguments, NULL) == napi_pending_exception)
    throw_uncaught(env);
  napi_close_handle_scope(env, scope);
}

/* Otherwise the connection would stay in the queue, and the thread would be woken for it without end. */
static void refuse_one(Listener *listener) {
  close(listener->spare);
  const int fd = accept(listener->fd, NULL, NULL);
  if (fd >= 0) close(fd);
  listener->spare = open_spare();
}

static void answer(Poll *poll, int status, int events) {
  (void)status;
  (void)events;
  Listener *listener = uv_handle_get_data((const Handle *)poll);
  for (int accepted = 0; accepted < MAX_ACCEPTED; accepted++) {
    const int fd = accept4(listener->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) hand_over(listener, fd);
    else if (errno == EMFILE || errno == ENFILE) refuse_one(listener);
    else if (errno != ECONNABORTED && errno != EINTR) return;
  }
}

static void forget(Listener *listener) {
  if (listener->fd >= 0) close(listener->fd);
  if (listener->spare >= 0) close(listener->spare);
  free(listener->poll);
  free(listener);
}

static void closed(Handle *poll) {
  Listener *listener = uv_handle_get_data(poll);
  napi_remove_async_cleanup_hook(listener->cleanup);
  forget(listener);
}

static void end(napi_async_cleanup_hook_handle handle, void *argument) {
  (void)handle;
  Listener *listener = argument;
  if (!uv_is_closing((Handle *)listener->poll)) uv_close((Handle *)listener->poll, closed);
}

/* Returns the descriptor or a negative errno. */
static int bind_to(const struct addrinfo *address) {
  const int on = 1, off = 0, defer = DEFER_S;
  const int fd = socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return -errno;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (address->ai_family == AF_INET6) setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  setsockopt(fd, IPPROTO_TCP, TCP_DEFER_ACCEPT, &defer, sizeof defer);
  if (bind(fd, address->ai_addr, address->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0) return fd;
  const int error = -errno;
  close(fd);
  return error;
}

/* IPv6 first, which a host that names every address takes for both. */
static int open_socket(const char *host, int port) {
  const struct addrinfo wanted = {.ai_flags = AI_PASSIVE, .ai_socktype = SOCK_STREAM};
  char service[8];
  struct addrinfo *found;
  snprintf(service, sizeof service, "%d", port);
  if (getaddrinfo(host, service, &wanted, &found) != 0) return -EADDRNOTAVAIL;
  int fd = -EADDRNOTAVAIL;
  const int families[] = {AF_INET6, AF_INET};
  for (int i = 0; i < 2 && fd < 0; i++)
    for (const struct addrinfo *address = found; address != NULL && fd < 0; address = address->ai_next)
      if (address->ai_family == families[i]) fd = bind_to(address);
  freeaddrinfo(found);
  return fd;
}

/* Returns 0 or a negative errno. */
static int start(Listener *listener) {
  Loop *loop = NULL;
  napi_get_uv_event_loop(listener->env, &loop);
  const int error = uv_poll_init(loop, listener->poll, listener->fd);
  if (error != 0) return error;
  uv_handle_set_data((Handle *)listener->poll, listener);
  napi_add_async_cleanup_hook(listener->env, end, listener, &listener->cleanup);
  return uv_poll_start(listener->poll, UV_READABLE, answer);
}

/* listen(host, port, prefix, accepted): an object for `port` and `stop`, or a negative errno. */
static napi_value listen_(napi_env env, napi_callback_info info) {
  size_t count = 4;
  napi_value values[4], name, result;
  char host[MAX_HOST_BYTES];
  napi_get_cb_info(env, info, &count, values, NULL, NULL);
  napi_get_value_string_utf8(env, values[0], host, sizeof host, NULL);
  Listener *listener = calloc(1, sizeof *listener);
  if (listener == NULL) return value_of(env, -ENOMEM);
  listener->env = env;
  listener->spare = open_spare();
  listener->poll = malloc(uv_handle_size(UV_POLL));
  listener->fd = listener->poll == NULL ? -ENOMEM : open_socket(host, int_of(env, values[1]));
  if (listener->fd < 0) {
    const int error = listener->fd;
    forget(listener);
    return value_of(env, error);
  }
  napi_get_value_string_utf8(env, values[2], listener->prefix, MAX_PREFIX_BYTES, &listener->prefix_bytes);
  napi_create_reference(env, values[3], 1, &listener->accepted);
  napi_create_string_utf8(env, "acceptor", NAPI_AUTO_LENGTH, &name);
  napi_async_init(env, NULL, name, &listener->context);
  const int failed = start(listener);
  if (failed != 0) {
    forget(listener);
    return value_of(env, failed);
  }
  napi_create_external(env, listener, NULL, NULL, &result);
  return result;
}

static Listener *listener_of(napi_env env, napi_callback_info info) {
  size_t count = 1;
  napi_value value;
  void *listener = NULL;
  napi_get_cb_info(env, info, &count, &value, NULL, NULL);
  napi_get_value_external(env, value, &listener);
  return listener;
}

/* port(listener) */
static napi_value port(napi_env env, napi_callback_info info) {
  struct sockaddr_storage address;
  socklen_t length = sizeof address;
  if (getsockname(listener_of(env, info)->fd, (struct sockaddr *)&address, &length) != 0)
    return value_of(env, -errno);
  return value_of(env, port_of(&address));
}

/* stop(listener): at most once. The port is free when it returns. */
static napi_value stop(napi_env env, napi_callback_info info) {
  Listener *listener = listener_of(env, info);
  uv_poll_stop(listener->poll);
  uv_close((Handle *)listener->poll, closed);
  close(listener->fd);
  listener->fd = -1;
  return NULL;
}

/* closeDescriptor(descriptor): of a connection that nobody has taken. */
static napi_value close_descriptor(napi_env env, napi_callback_info info) {
  size_t count = 1;
  napi_value value;
  napi_get_cb_info(env, info, &count, &value, NULL, NULL);
  close(int_of(env, value));
  return NULL;
}

/* The end of a thread whose library leaves its sockets open. */
typedef struct {
  Loop *loop;
  napi_async_cleanup_hook_handle cleanup;
  /* Sockets that are being closed, and the search for them. */
  int left;
} Ending;

static void one_less(Ending *ending) {
  ending->left--;
  if (ending->left > 0) return;
  napi_remove_async_cleanup_hook(ending->cleanup);
  free(ending);
}

static void socket_closed(Handle *poll) { one_less(uv_handle_get_data(poll)); }

static bool is_connection(int fd) {
  struct sockaddr_storage peer;
  socklen_t length = sizeof peer;
  return getpeername(fd, (struct sockaddr *)&peer, &length) == 0 || errno == ENOTCONN;
}

static void close_socket(Handle *handle, void *argument) {
  int fd = -1;
  if (uv_handle_get_type(handle) != UV_POLL || uv_is_closing(handle)) return;
  if (uv_fileno(handle, &fd) != 0 || !is_connection(fd)) return;
  Ending *ending = argument;
  ending->left++;
  uv_handle_set_data(handle, ending);
  uv_close(handle, socket_closed);
  close(fd);
}

static void close_sockets(napi_async_cleanup_hook_handle handle, void *argument) {
  (void)handle;
  Ending *ending = argument;
  ending->left = 1;
  uv_walk(ending->loop, close_socket, ending);
  one_less(ending);
}

/*
 * closeAtEnd(): closes what polls a socket when this thread ends. uWebSockets.js does not, and Node aborts the process
 * when a thread leaves something behind on its event loop. Its memory for these sockets is lost, some hundred bytes each.
 * Call it once per thread, after the library is loaded.
 */
static napi_value close_at_end(napi_env env, napi_callback_info info) {
  (void)info;
  Ending *ending = calloc(1, sizeof *ending);
  if (ending == NULL) return NULL;
  napi_get_uv_event_loop(env, &ending->loop);
  napi_add_async_cleanup_hook(env, close_sockets, ending, &ending->cleanup);
  return NULL;
}

NAPI_MODULE_INIT() {
  napi_set_named_property(env, exports, "version", value_of(env, INTERFACE_VERSION));
  add(env, exports, "listen", listen_);
  add(env, exports, "port", port);
  add(env, exports, "stop", stop);
  add(env, exports, "closeDescriptor", close_descriptor);
  add(env, exports, "closeAtEnd", close_at_end);
  add(env, exports, "connectionsFrom", connections_from);
  add(env, exports, "loud", loud);
  add(env, exports, "traffic", traffic);
  return exports;
}
