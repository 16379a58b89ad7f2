/* CPU time of the calling thread in nanoseconds: Node's own process.threadCpuUsage counts in scheduler ticks of 4 ms. */
#include <node_api.h>
#include <time.h>

static napi_value nanoseconds(napi_env env, napi_callback_info info) {
  (void)info;
  struct timespec now;
  napi_value result;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  napi_create_double(env, (double)now.tv_sec * 1e9 + (double)now.tv_nsec, &result);
  return result;
}

NAPI_MODULE_INIT() {
  napi_value function;
  napi_create_function(env, "nanoseconds", NAPI_AUTO_LENGTH, nanoseconds, NULL, &function);
  napi_set_named_property(env, exports, "nanoseconds", function);
  return exports;
}
