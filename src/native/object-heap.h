/* Empty pages of V8's heap. */
#pragma once

/*
 * Has V8 return the empty pages of the calling thread's heap to the system. V8 marks concurrently and ends with a pause
 * that grows with what it returns: 4 to 8 ms for 15 MB, 17 to 20 ms for 60 MB, on a busy machine. Does nothing if Node
 * does not export V8's functions.
 */
void reduce_object_heap(void);
