import { STATUS_CODES } from 'node:http';

/** HTTP status by error code of Node's parser and timeouts; 400 for all others. */
const STATUSES: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  HPE_INVALID_VERSION: 505,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Data received after the client's last request on the connection. */
const AFTER_THE_LAST = 'HPE_CLOSED_CONNECTION';

/** A complete answer to an unreadable request; '' if it gets none. */
export function parseErrorResponse(code: string): string {
  if (code === AFTER_THE_LAST) return '';
  const status = STATUSES[code] ?? 400;
  const body = JSON.stringify({ detail: status === 400 ? 'Malformed HTTP request' : STATUS_CODES[status] });
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
