import type { HttpRequest } from 'uWebSockets.js';

const LENGTH = /^\d{1,15}$/;

/**
 * How a request says where it ends. `in doubt`: somebody in front of the gateway could see another end than the library,
 * which takes the first of two lengths and any coding for `chunked` (RFC 9112, section 6.3). `chunked`: the library is lax
 * with the ends of chunks and takes trailers for the next request, so nothing after such a request may be served.
 * Headers are gone through only where a body is announced: it costs as much as finding the route.
 */
export function framingOf(request: HttpRequest): 'plain' | 'chunked' | 'in doubt' {
  const length = request.getHeader('content-length');
  const coding = request.getHeader('transfer-encoding');
  if (length === '' && coding === '') return 'plain';
  if (coding !== '' && coding.toLowerCase() !== 'chunked') return 'in doubt';
  if (length !== '' && !LENGTH.test(length)) return 'in doubt';
  if (!hasOneOfEach(request)) return 'in doubt';
  return coding === '' ? 'plain' : 'chunked';
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
