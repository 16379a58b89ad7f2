#include "object-heap.h"
#include <stddef.h>

/* v8::MemoryPressureLevel::kModerate: a collection in steps; kCritical would be one at once. */
#define MODERATE 1

/*
 * Node-API has no equivalent, so these are the mangled names of V8's C++ functions. They are weak: null if the
 * executable does not export them.
 */
extern void *current_isolate(void) __asm__("_ZN2v87Isolate10GetCurrentEv") __attribute__((weak));
extern void notify_memory_pressure(void *isolate, int level) __asm__(
    "_ZN2v87Isolate26MemoryPressureNotificationENS_19MemoryPressureLevelE") __attribute__((weak));

void reduce_object_heap(void) {
  if (current_isolate == NULL || notify_memory_pressure == NULL) return;
  notify_memory_pressure(current_isolate(), MODERATE);
}
