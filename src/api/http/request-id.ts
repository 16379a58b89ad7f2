import { randomUUID } from 'node:crypto';

/** Names one request in answers and logs. */
export type RequestId = string;

const SANE_REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** The client's own id when it is short and plain enough for a log line, otherwise a fresh one. */
export function requestIdFrom(header: string): RequestId {
  if (header !== '' && SANE_REQUEST_ID.test(header)) return header;
  // Of the sources of unguessable ids the one that is cheap enough for every request: it draws them in batches.
  return `req_${randomUUID()}`;
}
