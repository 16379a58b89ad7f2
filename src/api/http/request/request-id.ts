import { randomBytes } from 'node:crypto';

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
