/** A request as it goes over the wire, mistakes included. */
export interface HttpCase {
  /** What is unusual or wrong about it. */
  readonly name: string;
  readonly bytes: Buffer;
}

/** What a server that mistakes where a request ends would take for another one. */
export const HIDDEN = 'GET /healthz HTTP/1.1\r\nHost: hidden\r\n\r\n';

const BODY = '{"email":"a","password":"b"}';
const HOST = 'Host: gateway';
const JSON_TYPE = 'Content-Type: application/json';
const CHUNKED = 'Transfer-Encoding: chunked';
const NUL = '\u0000';

/** Every class of requests that servers are known to read differently, one of each. */
export function httpCatalogue(): HttpCase[] {
  return Object.entries({
    ...VALID,
    ...REQUEST_LINES,
    ...LINE_ENDS,
    ...HEADERS,
    ...FRAMINGS,
    ...CHUNKS,
    ...MEANINGS,
  }).map(([name, text]) => ({ name, bytes: Buffer.from(text, 'latin1') }));
}

function head(line: string, ...headers: string[]): string {
  return [line, HOST, ...headers, '', ''].join('\r\n');
}

/** A POST whose body is what follows; a server that misreads the framing finds a hidden request in it. */
function post(headers: readonly string[], body: string): string {
  return head('POST /auth/login HTTP/1.1', JSON_TYPE, ...headers) + body;
}

function sized(length: string, body = HIDDEN): string {
  return post([`Content-Length: ${length}`], body);
}

/** The coding, a body in one chunk, with a length that says less. */
function coded(...headers: string[]): string {
  return post(headers, chunks(HIDDEN));
}

function chunks(...parts: string[]): string {
  return `${parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('')}0\r\n\r\n`;
}

function chunked(body: string): string {
  return post([CHUNKED], body);
}

const LENGTH = HIDDEN.length;
const HEX = LENGTH.toString(16);

const VALID: Record<string, string> = {
  'valid: GET': head('GET /healthz HTTP/1.1'),
  'valid: HEAD': head('HEAD /healthz HTTP/1.1'),
  'valid: OPTIONS': head('OPTIONS /healthz HTTP/1.1'),
  'valid: a length': post([`Content-Length: ${BODY.length}`], BODY),
  'valid: chunks': chunked(chunks(BODY)),
  'valid: many chunks': chunked(chunks(...BODY)),
  'valid: a hidden request in a body with a length': sized(`${LENGTH}`),
  'valid: a hidden request in a chunk': chunked(chunks(HIDDEN)),
  'valid: chunk extensions': chunked(`${HEX};a=b;c="d e"\r\n${HIDDEN}\r\n0;e\r\n\r\n`),
  'valid: a trailer': chunked(`${HEX}\r\n${HIDDEN}\r\n0\r\nX-Sum: 1\r\n\r\n`),
  'valid: Expect': post([`Content-Length: ${BODY.length}`, 'Expect: 100-continue'], BODY),
  'valid: Connection: close': head('GET /healthz HTTP/1.1', 'Connection: close'),
  'valid: an empty line first': `\r\n${head('GET /healthz HTTP/1.1')}`,
};

const REQUEST_LINES: Record<string, string> = {
  'method: lower case': head('get /healthz HTTP/1.1'),
  'method: unknown': head('BREW /healthz HTTP/1.1'),
  'method: not a token': head('GE(T /healthz HTTP/1.1'),
  'method: NUL': head(`GE${NUL}T /healthz HTTP/1.1`),
  'method: 1,000 letters': head(`${'G'.repeat(1_000)} /healthz HTTP/1.1`),
  'method: CONNECT': head('CONNECT gateway:80 HTTP/1.1'),
  'method: TRACE': head('TRACE /healthz HTTP/1.1'),
  'target: absolute': head('GET http://gateway/healthz HTTP/1.1'),
  'target: asterisk': head('OPTIONS * HTTP/1.1'),
  'target: no slash': head('GET healthz HTTP/1.1'),
  'target: empty': head('GET  HTTP/1.1'),
  'target: a space': head('GET /heal thz HTTP/1.1'),
  'target: a tab': head('GET /heal\tthz HTTP/1.1'),
  'target: two spaces before': head('GET  /healthz HTTP/1.1'),
  'target: a fragment': head('GET /healthz#a HTTP/1.1'),
  'target: bytes above 127': head('GET /h\u00e9althz HTTP/1.1'),
  'target: NUL': head(`GET /healthz${NUL} HTTP/1.1`),
  'target: bare CR': head('GET /healthz\rX HTTP/1.1'),
  'target: bad escapes': head('GET /%zz%2 HTTP/1.1'),
  'target: 10 KB': head(`GET /${'a'.repeat(10_000)} HTTP/1.1`),
  'target: 100 KB': head(`GET /${'a'.repeat(100_000)} HTTP/1.1`),
  'version: 1.0': head('GET /healthz HTTP/1.0'),
  'version: 0.9': 'GET /healthz\r\n\r\n',
  'version: 1.2': head('GET /healthz HTTP/1.2'),
  'version: 2.0': head('GET /healthz HTTP/2.0'),
  'version: 1.10': head('GET /healthz HTTP/1.10'),
  'version: lower case': head('GET /healthz http/1.1'),
  'version: a space after': head('GET /healthz HTTP/1.1 '),
  'version: two spaces before': head('GET /healthz  HTTP/1.1'),
  'version: a tab before': head('GET /healthz\tHTTP/1.1'),
  'version: another protocol': head('GET /healthz ICAP/1.1'),
};

const LINE_ENDS: Record<string, string> = {
  'line ends: bare LF everywhere': head('GET /healthz HTTP/1.1').replaceAll('\r\n', '\n'),
  'line ends: bare LF after the request line': head('GET /healthz HTTP/1.1').replace('\r\n', '\n'),
  'line ends: bare LF after a header': `GET /healthz HTTP/1.1\r\n${HOST}\nX-A: b\r\n\r\n`,
  'line ends: bare LF at the end of the head': `GET /healthz HTTP/1.1\r\n${HOST}\r\n\n`,
  'line ends: bare CR everywhere': head('GET /healthz HTTP/1.1').replaceAll('\r\n', '\r'),
  'line ends: CR CR LF': head('GET /healthz HTTP/1.1').replaceAll('\r\n', '\r\r\n'),
  'line ends: a bare LF first': `\n${head('GET /healthz HTTP/1.1')}`,
  'line ends: ten empty lines first': '\r\n'.repeat(10) + head('GET /healthz HTTP/1.1'),
  'line ends: a header hidden behind a bare LF': head('GET /healthz HTTP/1.1', 'X-A: b\nContent-Length: 5'),
  'line ends: a header hidden behind a bare CR': head('GET /healthz HTTP/1.1', 'X-A: b\rContent-Length: 5'),
};

const HEADERS: Record<string, string> = {
  'Host: none': 'GET /healthz HTTP/1.1\r\nX-A: b\r\n\r\n',
  'Host: two': head('GET /healthz HTTP/1.1', 'Host: other'),
  'Host: empty': 'GET /healthz HTTP/1.1\r\nHost:\r\n\r\n',
  'Host: not a host': 'GET /healthz HTTP/1.1\r\nHost: a b/c@d\r\n\r\n',
  'header: no colon': head('GET /healthz HTTP/1.1', 'Nothing'),
  'header: no name': head('GET /healthz HTTP/1.1', ': b'),
  'header: a space before the colon': post(['Content-Length : 5'], ''),
  'header: a tab before the colon': head('GET /healthz HTTP/1.1', 'X-A\t: b'),
  'header: a space before the first': `GET /healthz HTTP/1.1\r\n ${HOST}\r\n\r\n`,
  'header: folded by a space': head('GET /healthz HTTP/1.1', 'X-A: b\r\n c'),
  'header: folded by a tab': head('GET /healthz HTTP/1.1', 'X-A: b\r\n\tc'),
  'header: NUL in a value': head('GET /healthz HTTP/1.1', `X-A: b${NUL}c`),
  'header: a control character in a value': head('GET /healthz HTTP/1.1', 'X-A: b\u0001c'),
  'header: DEL in a value': head('GET /healthz HTTP/1.1', 'X-A: b\u007fc'),
  'header: bytes above 127 in a value': head('GET /healthz HTTP/1.1', 'X-A: \u00e9'),
  'header: a name that is not a token': head('GET /healthz HTTP/1.1', 'X(A: b'),
  'header: bytes above 127 in a name': head('GET /healthz HTTP/1.1', 'X\u00e9: b'),
  'header: 8 KB': head('GET /healthz HTTP/1.1', `X-A: ${'b'.repeat(8_000)}`),
  'header: 20 KB': head('GET /healthz HTTP/1.1', `X-A: ${'b'.repeat(20_000)}`),
  'header: 100 KB': head('GET /healthz HTTP/1.1', `X-A: ${'b'.repeat(100_000)}`),
  'header: 90 of them': head('GET /healthz HTTP/1.1', ...Array.from({ length: 90 }, (_, n) => `X-${n}: b`)),
  'header: 2,000 of them': head(
    'GET /healthz HTTP/1.1',
    ...Array.from({ length: 2_000 }, (_, n) => `X-${n}: b`),
  ),
};

const FRAMINGS: Record<string, string> = {
  'length: twice the same': post([`Content-Length: ${LENGTH}`, `Content-Length: ${LENGTH}`], HIDDEN),
  'length: two that differ': post([`Content-Length: ${LENGTH}`, 'Content-Length: 0'], HIDDEN),
  'length: two that differ, the other way': post(['Content-Length: 0', `Content-Length: ${LENGTH}`], HIDDEN),
  'length: a list': sized(`${LENGTH}, ${LENGTH}`),
  'length: a plus': sized(`+${LENGTH}`),
  'length: a minus': sized('-1'),
  'length: hex': sized(`0x${HEX}`),
  'length: not a number': sized('many'),
  'length: empty': sized(''),
  'length: a number and more': sized(`${LENGTH} 1`),
  'length: a decimal point': sized(`${LENGTH}.0`),
  'length: zeros before': sized(`000${LENGTH}`),
  'length: beyond 64 bits': sized(`1844674407370955${1_616 + LENGTH}`),
  'length: 2^63': sized('9223372036854775808'),
  'length: folded': post([`Content-Length:\r\n ${LENGTH}`], HIDDEN),
  'length: of a GET': head('GET /healthz HTTP/1.1', `Content-Length: ${LENGTH}`) + HIDDEN,
  'length: of a HEAD': head('HEAD /healthz HTTP/1.1', `Content-Length: ${LENGTH}`) + HIDDEN,
  'length: of an OPTIONS': head('OPTIONS /healthz HTTP/1.1', `Content-Length: ${LENGTH}`) + HIDDEN,
  'length: of a DELETE': head('DELETE /api/account HTTP/1.1', `Content-Length: ${LENGTH}`) + HIDDEN,
  'length: of a path that is not there': head('POST /nothing HTTP/1.1', `Content-Length: ${LENGTH}`) + HIDDEN,
  'length: before a key is known': head('POST /api/call HTTP/1.1', `Content-Length: ${LENGTH}`) + HIDDEN,
  'both framings: the length first': coded('Content-Length: 4', CHUNKED),
  'both framings: the coding first': coded(CHUNKED, 'Content-Length: 4'),
  'both framings: the length is right': coded(CHUNKED, `Content-Length: ${chunks(HIDDEN).length}`),
  'coding: twice': coded(CHUNKED, CHUNKED),
  'coding: chunked, identity': coded('Transfer-Encoding: chunked, identity'),
  'coding: identity, chunked': coded('Transfer-Encoding: identity, chunked'),
  'coding: identity': coded('Transfer-Encoding: identity'),
  'coding: gzip, chunked': coded('Transfer-Encoding: gzip, chunked'),
  'coding: gzip': coded('Transfer-Encoding: gzip'),
  'coding: capitals': coded('Transfer-Encoding: CHUNKED'),
  'coding: xchunked': coded('Transfer-Encoding: xchunked'),
  'coding: a parameter': coded('Transfer-Encoding: chunked;q=1'),
  'coding: in quotes': coded('Transfer-Encoding: "chunked"'),
  'coding: empty': coded('Transfer-Encoding:'),
  'coding: a comma before': coded('Transfer-Encoding: , chunked'),
  'coding: a vertical tab before': coded('Transfer-Encoding: \u000bchunked'),
  'coding: folded': coded('Transfer-Encoding:\r\n chunked'),
  'coding: a space before the colon': coded('Transfer-Encoding : chunked'),
  'coding: in HTTP/1.0': coded(CHUNKED).replace('HTTP/1.1', 'HTTP/1.0'),
  'coding: of a GET': head('GET /healthz HTTP/1.1', CHUNKED) + chunks(HIDDEN),
  'coding: of a path that is not there': head('POST /nothing HTTP/1.1', CHUNKED) + chunks(HIDDEN),
  'coding: before a key is known': head('POST /api/call HTTP/1.1', CHUNKED) + chunks(HIDDEN),
};

const CHUNKS: Record<string, string> = {
  'chunk size: capitals': chunked(`${HEX.toUpperCase()}\r\n${HIDDEN}\r\n0\r\n\r\n`),
  'chunk size: zeros before': chunked(`000${HEX}\r\n${HIDDEN}\r\n0\r\n\r\n`),
  'chunk size: 0x': chunked(`0x${HEX}\r\n${HIDDEN}\r\n0\r\n\r\n`),
  'chunk size: a plus': chunked(`+${HEX}\r\n${HIDDEN}\r\n0\r\n\r\n`),
  'chunk size: a minus': chunked(`-${HEX}\r\n${HIDDEN}\r\n0\r\n\r\n`),
  'chunk size: empty': chunked(`\r\n${HIDDEN}\r\n0\r\n\r\n`),
  'chunk size: not hex': chunked(`${HEX}g\r\n${HIDDEN}\r\n0\r\n\r\n`),
  'chunk size: a space before': chunked(` ${HEX}\r\n${HIDDEN}\r\n0\r\n\r\n`),
  'chunk size: a space after': chunked(`${HEX} \r\n${HIDDEN}\r\n0\r\n\r\n`),
  'chunk size: beyond 64 bits': chunked(`1000000000000000${HEX}\r\n${HIDDEN}\r\n0\r\n\r\n`),
  'chunk size: beyond 32 bits': chunked(`1000000${HEX}\r\n${HIDDEN}\r\n0\r\n\r\n`),
  'chunk size: bare LF after': chunked(`${HEX}\n${HIDDEN}\r\n0\r\n\r\n`),
  'chunk size: bare CR after': chunked(`${HEX}\r${HIDDEN}\r\n0\r\n\r\n`),
  'chunk extension: 20 KB': chunked(`${HEX};a=${'b'.repeat(20_000)}\r\n${HIDDEN}\r\n0\r\n\r\n`),
  'chunk extension: a bare LF in it': chunked(`${HEX};a\nb\r\n${HIDDEN}\r\n0\r\n\r\n`),
  'chunk extension: NUL in it': chunked(`${HEX};${NUL}\r\n${HIDDEN}\r\n0\r\n\r\n`),
  'chunk end: missing': chunked(`${HEX}\r\n${HIDDEN}0\r\n\r\n`),
  'chunk end: other characters': chunked(`${HEX}\r\n${HIDDEN}XX0\r\n\r\n`),
  'chunk end: bare LF': chunked(`${HEX}\r\n${HIDDEN}\n0\r\n\r\n`),
  'chunk end: more than the size': chunked(`4\r\n${HIDDEN}\r\n0\r\n\r\n`),
  'last chunk: bare LF': chunked(`${HEX}\r\n${HIDDEN}\r\n0\n\n`),
  'last chunk: several zeros': chunked(`${HEX}\r\n${HIDDEN}\r\n0000\r\n\r\n`),
  'last chunk: an empty line missing': chunked(`${HEX}\r\n${HIDDEN}\r\n0\r\n`),
  'last chunk: other characters for its end': chunked(`${HEX}\r\n${HIDDEN}\r\n0\r\nXX${HIDDEN}`),
  'trailer: a hidden request': chunked(`${HEX}\r\n${HIDDEN}\r\n0\r\n${HIDDEN}`),
  'trailer: a length': chunked(`${HEX}\r\n${HIDDEN}\r\n0\r\nContent-Length: 5\r\n\r\n`),
  'trailer: a coding': chunked(`${HEX}\r\n${HIDDEN}\r\n0\r\nTransfer-Encoding: chunked\r\n\r\n`),
  'trailer: no colon': chunked(`${HEX}\r\n${HIDDEN}\r\n0\r\nNothing\r\n\r\n`),
  'trailer: bare LF': chunked(`${HEX}\r\n${HIDDEN}\r\n0\r\nX-A: b\n\n`),
  'trailer: 100 KB': chunked(`${HEX}\r\n${HIDDEN}\r\n0\r\nX-A: ${'b'.repeat(100_000)}\r\n\r\n`),
  'trailer: 200 of them': chunked(`${HEX}\r\n${HIDDEN}\r\n0\r\n${'X-A: b\r\n'.repeat(200)}\r\n`),
};

const MEANINGS: Record<string, string> = {
  'Expect: something else': post([`Content-Length: ${BODY.length}`, 'Expect: 200-maybe'], BODY),
  'Expect: of a GET': head('GET /healthz HTTP/1.1', 'Expect: 100-continue'),
  'Upgrade: h2c': head(
    'GET /healthz HTTP/1.1',
    'Connection: Upgrade, HTTP2-Settings',
    'Upgrade: h2c',
    'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA',
  ),
  'Upgrade: a WebSocket where there is none': head(
    'GET /healthz HTTP/1.1',
    ...['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'],
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  ),
  'Upgrade: a WebSocket without a key': head(
    'GET /api/inbox/stream HTTP/1.1',
    ...['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'],
  ),
  'Upgrade: a WebSocket by POST, with a body':
    head(
      'POST /api/inbox/stream HTTP/1.1',
      ...['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'],
      ...['Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', `Content-Length: ${LENGTH}`],
    ) + HIDDEN,
  'Upgrade: nobody who is known': head(
    'GET /api/inbox/stream HTTP/1.1',
    ...['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'],
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  ),
  'Connection: keep-alive in HTTP/1.0': head('GET /healthz HTTP/1.0', 'Connection: keep-alive'),
};
