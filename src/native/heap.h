/* What the process' allocator keeps of memory that was freed. */
#pragma once
#include <node_api.h>

/* Gives it back to the system, beside the event loop's thread; does nothing where the C library cannot. */
void give_heap_back(napi_env env);
