#define _GNU_SOURCE
#include "heap.h"
#include <features.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

typedef struct {
  napi_async_work work;
} GivingBack;

static void give_back(napi_env env, void *data) {
  (void)env;
  (void)data;
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

static void end(napi_env env, napi_status status, void *data) {
  GivingBack *giving = data;
  (void)status;
  napi_delete_async_work(env, giving->work);
  free(giving);
}

void give_heap_back(napi_env env) {
  GivingBack *giving = malloc(sizeof *giving);
  napi_value name;
  if (giving == NULL) return;
  napi_create_string_utf8(env, "giveHeapBack", NAPI_AUTO_LENGTH, &name);
  if (napi_create_async_work(env, NULL, name, give_back, end, giving, &giving->work) != napi_ok) {
    free(giving);
    return;
  }
  napi_queue_async_work(env, giving->work);
}
