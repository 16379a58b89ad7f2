/*
 * Wakes the event loop of another thread of this process. Unlike V8's `Atomics.notify` and Node's message ports it takes
 * no lock, so a thread that wakes another never waits for one that holds the lock and does not run. A Node-API addon for
 * Linux.
 *
 * A waker is an eventfd. It is never closed: when its thread ends, a later one takes it over. So somebody who still
 * wakes the former thread wakes another one in vain, but never writes to a file that happens to have the same number.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <node_api.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include "napi-helpers.h"

/* Incremented with every change of the interface to JavaScript. */
#define INTERFACE_VERSION 1
/* Threads that can be woken at the same time. */
#define MAX_WAKERS 256

/* Declared by libuv, exported by Node: https://docs.libuv.org/en/v1.x/poll.html and /handle.html */
#define UV_POLL 8
#define UV_READABLE 1
typedef struct uv_poll_s Poll;
typedef struct uv_handle_s Handle;
size_t uv_handle_size(int type);
int uv_poll_init(struct uv_loop_s *loop, Poll *poll, int fd);
int uv_poll_start(Poll *poll, int events, void (*answer)(Poll *, int status, int events));
void uv_unref(Handle *handle);
void uv_close(Handle *handle, void (*closed)(Handle *));
void *uv_handle_get_data(const Handle *handle);
void uv_handle_set_data(Handle *handle, void *data);

typedef struct {
  bool is_taken;
  bool is_open;
  int fd;
  /* It has been written to, and its thread has not looked yet. */
  atomic_bool is_set;
} Waker;

/* The thread that a waker wakes. */
typedef struct {
  napi_env env;
  napi_ref answer;
  napi_async_context context;
  napi_async_cleanup_hook_handle cleanup;
  Waker *waker;
  Poll *poll;
} Listener;

static Waker wakers[MAX_WAKERS];
static pthread_mutex_t taking = PTHREAD_MUTEX_INITIALIZER;

/* In this order: who wakes before the second line is answered by this call, and who does after it writes again. */
static void reset(Waker *waker) {
  eventfd_t count;
  eventfd_read(waker->fd, &count);
  atomic_store(&waker->is_set, false);
}

/* Returns a negative errno on failure. */
static int open_once(Waker *waker) {
  if (waker->is_open) return 0;
  waker->fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  waker->is_open = waker->fd >= 0;
  return waker->is_open ? 0 : -errno;
}

/* Takes a waker that no thread has, or returns a negative errno. */
static int take(Waker **taken) {
  int error = -EMFILE;
  pthread_mutex_lock(&taking);
  for (Waker *waker = wakers; waker < wakers + MAX_WAKERS; waker++) {
    if (waker->is_taken) continue;
    error = open_once(waker);
    waker->is_taken = error == 0;
    *taken = waker;
    break;
  }
  pthread_mutex_unlock(&taking);
  return error;
}

static void leave(Waker *waker) {
  pthread_mutex_lock(&taking);
  waker->is_taken = false;
  pthread_mutex_unlock(&taking);
}

static void throw_uncaught(napi_env env) {
  napi_value error;
  if (napi_get_and_clear_last_exception(env, &error) == napi_ok) napi_fatal_exception(env, error);
}

static void answer(Poll *poll, int status, int events) {
  (void)status;
  (void)events;
  const Listener *listener = uv_handle_get_data((const Handle *)poll);
  const napi_env env = listener->env;
  napi_handle_scope scope;
  napi_value function, global;
  reset(listener->waker);
  if (napi_open_handle_scope(env, &scope) != napi_ok) return;
  napi_get_reference_value(env, listener->answer, &function);
  napi_get_global(env, &global);
  if (napi_make_callback(env, listener->context, global, function, 0, NULL, NULL) == napi_pending_exception)
    throw_uncaught(env);
  napi_close_handle_scope(env, scope);
}

static void closed(Handle *poll) {
  Listener *listener = uv_handle_get_data(poll);
  leave(listener->waker);
  napi_remove_async_cleanup_hook(listener->cleanup);
  free(listener->poll);
  free(listener);
}

/* Runs when the thread ends, also after an error. */
static void end(napi_async_cleanup_hook_handle handle, void *listener) {
  (void)handle;
  uv_close((Handle *)((Listener *)listener)->poll, closed);
}

/* Returns 0 or a negative errno. */
static int poll_waker(Listener *listener) {
  struct uv_loop_s *loop = NULL;
  napi_get_uv_event_loop(listener->env, &loop);
  const int error = uv_poll_init(loop, listener->poll, listener->waker->fd);
  if (error != 0) return error;
  uv_handle_set_data((Handle *)listener->poll, listener);
  uv_unref((Handle *)listener->poll);
  napi_add_async_cleanup_hook(listener->env, end, listener, &listener->cleanup);
  reset(listener->waker);
  return uv_poll_start(listener->poll, UV_READABLE, answer);
}

/* listen(answer): the number of this thread's waker, 1 or more, or a negative errno. Called once per thread. */
static napi_value listen_(napi_env env, napi_callback_info info) {
  size_t count = 1;
  napi_value function, name;
  napi_get_cb_info(env, info, &count, &function, NULL, NULL);
  Listener *listener = malloc(sizeof *listener);
  Poll *poll = malloc(uv_handle_size(UV_POLL));
  Waker *waker = NULL;
  const int error = listener == NULL || poll == NULL ? -ENOMEM : take(&waker);
  if (error != 0) {
    free(listener);
    free(poll);
    return value_of(env, error);
  }
  *listener = (Listener){.env = env, .waker = waker, .poll = poll};
  napi_create_reference(env, function, 1, &listener->answer);
  napi_create_string_utf8(env, "waker", NAPI_AUTO_LENGTH, &name);
  napi_async_init(env, NULL, name, &listener->context);
  const int failed = poll_waker(listener);
  return value_of(env, failed != 0 ? failed : (int32_t)(waker - wakers) + 1);
}

/* wake(waker): once for all calls until the thread has looked. A number that `listen` has not returned has no effect. */
static napi_value wake(napi_env env, napi_callback_info info) {
  size_t count = 1;
  napi_value value;
  napi_get_cb_info(env, info, &count, &value, NULL, NULL);
  const int32_t number = int_of(env, value);
  if (number < 1 || number > MAX_WAKERS) return NULL;
  Waker *waker = &wakers[number - 1];
  if (waker->is_open && !atomic_exchange(&waker->is_set, true)) eventfd_write(waker->fd, 1);
  return NULL;
}

NAPI_MODULE_INIT() {
  napi_set_named_property(env, exports, "version", value_of(env, INTERFACE_VERSION));
  add(env, exports, "listen", listen_);
  add(env, exports, "wake", wake);
  return exports;
}
