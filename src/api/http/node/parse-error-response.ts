import { STATUS_CODES } from 'node:http';

/** What Node's parser and clocks call what they refuse; anything else is 400. */
const STATUSES: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  HPE_INVALID_VERSION: 505,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** The client had said that nothing more would come. */
const AFTER_THE_LAST = 'HPE_CLOSED_CONNECTION';

/** A whole answer to a request that could not be read; '' where it deserves none. */
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
