import type { HttpRequest } from 'uWebSockets.js';

const LENGTH = /^\d{1,15}$/;

/**
 * Whether it is in doubt where a request ends, so that somebody in front of the gateway could see another request than
 * the library does (RFC 9112, section 6.3). The library takes the first of two lengths, and any coding for `chunked`.
 * Headers are gone through only where a body is announced: it costs as much as finding the route.
 */
export function isFramingInDoubt(request: HttpRequest): boolean {
  const length = request.getHeader('content-length');
  const coding = request.getHeader('transfer-encoding');
  if (length === '' && coding === '') return false;
  if (coding !== '' && coding.toLowerCase() !== 'chunked') return true;
  if (length !== '' && !LENGTH.test(length)) return true;
  return !hasOneOfEach(request);
}

let framings = 0;
let hosts = 0;

/** Without a closure, for every request with a body. */
function count(name: string): void {
  if (name === 'content-length' || name === 'transfer-encoding') framings += 1;
  else if (name === 'host') hosts += 1;
}

/** One header that says how long the body is, and one host. */
function hasOneOfEach(request: HttpRequest): boolean {
  framings = 0;
  hosts = 0;
  request.forEach(count);
  return framings === 1 && hosts === 1;
}
