import type { HttpRequest } from 'uWebSockets.js';

const LENGTH = /^\d{1,15}$/;

/**
 * Classifies how a request's body is delimited. `in doubt`: a proxy in front of the gateway could see a different end
 * than the library, which uses the first of two lengths and treats any coding as `chunked` (RFC 9112, section 6.3).
 * `chunked`: the library is lax about the ends of chunks and parses trailers as the next request, so no later request
 * on the connection may be served. All headers are scanned only if a body is announced, because the scan costs as much
 * as finding the route.
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

/** A named function, so that requests with a body do not each create a closure. */
function count(name: string): void {
  if (name === 'content-length' || name === 'transfer-encoding') framings += 1;
  else if (name === 'host') hosts += 1;
}

/** Whether there is exactly one length or coding header and exactly one host. */
function hasOneOfEach(request: HttpRequest): boolean {
  framings = 0;
  hosts = 0;
  request.forEach(count);
  return framings === 1 && hosts === 1;
}
