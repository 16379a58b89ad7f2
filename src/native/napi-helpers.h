/* Shorthands for Node-API. */
#pragma once
#include <node_api.h>
#include <stdint.h>

static inline int32_t int_of(napi_env env, napi_value value) {
  int32_t number = 0;
  napi_get_value_int32(env, value, &number);
  return number;
}

static inline napi_value value_of(napi_env env, int32_t number) {
  napi_value value = NULL;
  napi_create_int32(env, number, &value);
  return value;
}

static inline void add(napi_env env, napi_value exports, const char *name, napi_callback call) {
  napi_value function;
  napi_create_function(env, name, NAPI_AUTO_LENGTH, call, NULL, &function);
  napi_set_named_property(env, exports, name, function);
}
