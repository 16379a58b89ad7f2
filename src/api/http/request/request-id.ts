import { randomBytes } from 'node:crypto';

/** Names one request in answers and logs. */
export type RequestId = string;

const SANE_REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;

const ID_LENGTH = 24;
const IDS_DRAWN_AT_ONCE = 1_024;

/** Random ids one after the other, in hex: drawing and encoding each by itself costs a twentieth of a small request. */
let drawn = '';
let nextAt = 0;

/** The client's own id when it is short and plain enough for a log line, otherwise a fresh one. */
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
