import { newId } from '../../base/ids.ts';

/** Names one request in answers and logs. */
export type RequestId = string;

const SANE_REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** The client's own id when it is short and plain enough for a log line, otherwise a fresh one. */
export function requestIdFrom(header: string): RequestId {
  return header !== '' && SANE_REQUEST_ID.test(header) ? header : newId('req');
}
