/* Memory that the process has freed but its allocator still keeps. */
#pragma once
#include <node_api.h>

/* Returns it to the system, on a thread of libuv's pool. Does nothing if the C library does not support it. */
void give_heap_back(napi_env env);
