/** What a stream of bytes is according to RFC 9112: the number of requests, and what follows them. */
export interface HttpReading {
  readonly requests: number;
  /** `none`: nothing. `unfinished`: an incomplete request. `invalid`: what no server may accept as a request. */
  readonly rest: 'none' | 'unfinished' | 'invalid';
}

type Step = { readonly end: number } | 'unfinished' | 'invalid';

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Section 3 lets servers take several spaces for one, section 2.2 skip empty lines before it. */
const REQUEST_LINE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ +[!-~]+ +HTTP\/1\.[01]$/;
const VALUE = /^[\t -~\u0080-\u00ff]*$/;
const CHUNK_LINE = /^([0-9A-Fa-f]{1,8})(?:[ \t]*;[\t -~\u0080-\u00ff]*)?$/;
const LENGTH = /^\d{1,15}$/;

/**
 * Counts the requests in a stream of bytes strictly: the most answers that a server may give to it are these, and one
 * more for a rest that it refuses. A request without a host is refused, too, but it is clear where it ends.
 */
export function readStrictly(bytes: Buffer): HttpReading {
  const text = bytes.toString('latin1');
  let at = 0;
  for (let requests = 0; ; requests++) {
    while (text[at] === '\r' || text[at] === '\n') at++;
    if (at >= text.length) return { requests, rest: 'none' };
    const step = readRequest(text, at);
    if (typeof step === 'string') return { requests, rest: step };
    at = step.end;
  }
}

/** How many answers it may get. */
export function mostAnswers({ requests, rest }: HttpReading): number {
  return rest === 'none' ? requests : requests + 1;
}

function readRequest(text: string, from: number): Step {
  const head = readLines(text, from);
  if (typeof head === 'string') return head;
  const [line = '', ...fields] = head.lines;
  if (!REQUEST_LINE.test(line)) return 'invalid';
  const headers = fields.map(readField);
  if (headers.some((field) => field === null)) return 'invalid';
  const known = headers as [string, string][];
  return readBody(text, head.end, known, line.endsWith('1.0'));
}

function readBody(text: string, from: number, headers: readonly [string, string][], isOld: boolean): Step {
  const lengths = valuesOf(headers, 'content-length');
  const codings = valuesOf(headers, 'transfer-encoding');
  if (codings.length > 0) {
    const isChunked = codings.length === 1 && codings[0]?.toLowerCase() === 'chunked';
    if (!isChunked || lengths.length > 0 || isOld) return 'invalid';
    return readChunks(text, from);
  }
  const [length] = lengths;
  if (length === undefined) return { end: from };
  if (lengths.length > 1 || !LENGTH.test(length)) return 'invalid';
  const end = from + Number(length);
  return end > text.length ? 'unfinished' : { end };
}

function readChunks(text: string, from: number): Step {
  let at = from;
  for (;;) {
    const lineEnd = text.indexOf('\r\n', at);
    if (lineEnd < 0) return isPlain(text.slice(at)) ? 'unfinished' : 'invalid';
    const size = CHUNK_LINE.exec(text.slice(at, lineEnd))?.[1];
    if (size === undefined) return 'invalid';
    const length = Number.parseInt(size, 16);
    at = lineEnd + 2;
    if (length === 0) return readTrailers(text, at);
    at += length;
    if (at + 2 > text.length) return 'unfinished';
    if (!text.startsWith('\r\n', at)) return 'invalid';
    at += 2;
  }
}

function readTrailers(text: string, from: number): Step {
  if (text.startsWith('\r\n', from)) return { end: from + 2 };
  const trailers = readLines(text, from);
  if (typeof trailers === 'string') return trailers;
  const isValid = trailers.lines.every((line) => readField(line) !== null);
  return isValid ? { end: trailers.end } : 'invalid';
}

/** The lines up to an empty one. */
function readLines(text: string, from: number): { lines: string[]; end: number } | 'unfinished' | 'invalid' {
  const end = text.indexOf('\r\n\r\n', from);
  if (end < 0) return isPlain(text.slice(from)) ? 'unfinished' : 'invalid';
  return { lines: text.slice(from, end).split('\r\n'), end: end + 4 };
}

/** Whether it contains no bare CR or LF. */
function isPlain(text: string): boolean {
  return !/\r(?!\n)(?!$)|(?<!\r)\n/.test(text);
}

function readField(line: string): [string, string] | null {
  const colon = line.indexOf(':');
  const [name, value] = [line.slice(0, colon), line.slice(colon + 1)];
  if (colon < 0 || !TOKEN.test(name) || !VALUE.test(value)) return null;
  return [name.toLowerCase(), value.replace(/^[ \t]+|[ \t]+$/g, '')];
}

function valuesOf(headers: readonly [string, string][], wanted: string): string[] {
  return headers.filter(([name]) => name === wanted).map(([, value]) => value);
}
