import { randomBytes } from 'node:crypto';

/**
 * A request's method, URL and headers, independent of the server library. Valid only until the library's callback
 * returns. Requests of uWebSockets.js already have this shape, so the fast path needs no wrapper.
 */
export interface RequestHead {
  /** Lower case. */
  getMethod(): string;
  /** The path as sent, without the query. */
  getUrl(): string;
  /** The query without the question mark; '' if there is none. */
  getQuery(): string;
  /** A header's first value by its lower-case name; '' if absent. */
  getHeader(name: string): string;
}

/** Identifies one request in answers and logs. */
export type RequestId = string;

const SANE_REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;

const ID_LENGTH = 24;
const IDS_DRAWN_AT_ONCE = 1_024;

/** A batch of random ids in hex. Drawing and encoding each id separately would cost a twentieth of a small request. */
let drawn = '';
let nextAt = 0;

/** The client's own id if it is short and plain enough for a log line, otherwise a new one. */
export function requestIdFrom(header: string): RequestId {
  return header !== '' && SANE_REQUEST_ID.test(header) ? header : newRequestId();
}

function newRequestId(): RequestId {
  if (nextAt === drawn.length) {
    drawn = randomBytes((ID_LENGTH / 2) * IDS_DRAWN_AT_ONCE).toString('hex');
    nextAt = 0;
  }
  nextAt += ID_LENGTH;
  return `req_${drawn.slice(nextAt - ID_LENGTH, nextAt)}`;
}
