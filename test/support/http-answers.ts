/** One final answer in a stream of them. */
export interface HttpAnswer {
  readonly status: number;
  readonly requestId: string;
}

const STATUS_LINE = /^HTTP\/1\.1 ([1-5]\d\d)(?: [\t -~]*)?$/;
const HEAD_END = '\r\n\r\n';

/** Parses the answers of a connection strictly; other bytes are kept as garbage. */
export class HttpAnswers {
  readonly all: HttpAnswer[] = [];
  /** Received bytes that are not an answer. */
  garbage = '';
  readonly #isBodyless: (index: number) => boolean;
  #text = '';

  /** `isBodyless`: whether the answer at this place is to a HEAD. */
  constructor(isBodyless: (index: number) => boolean) {
    this.#isBodyless = isBodyless;
  }

  push(bytes: Buffer): void {
    this.#text += bytes.toString('latin1');
    while (this.garbage === '' && this.#take()) {
      // One after the other.
    }
  }

  /** Bytes of an answer that is not complete. */
  get unfinished(): string {
    return this.#text;
  }

  #take(): boolean {
    const headEnd = this.#text.indexOf(HEAD_END);
    if (headEnd < 0) return false;
    const [line = '', ...headers] = this.#text.slice(0, headEnd).split('\r\n');
    const status = Number(STATUS_LINE.exec(line)?.[1]);
    if (!(status > 0)) {
      this.garbage = line.slice(0, 80);
      return false;
    }
    const end = this.#bodyEnd(status, headers, headEnd + HEAD_END.length);
    if (end === null || end > this.#text.length) return false;
    this.#text = this.#text.slice(end);
    if (status >= 200) this.all.push({ status, requestId: headerIn(headers, 'x-request-id') });
    return true;
  }

  /** Null: it has not arrived completely. */
  #bodyEnd(status: number, headers: readonly string[], from: number): number | null {
    if (status < 200 || status === 204 || status === 304 || this.#isBodyless(this.all.length)) return from;
    if (headerIn(headers, 'transfer-encoding').toLowerCase() !== 'chunked')
      return from + Number(headerIn(headers, 'content-length') || 0);
    const last = this.#text.indexOf('\r\n0\r\n\r\n', from - 2);
    return last < 0 ? null : last + 7;
  }
}

function headerIn(headers: readonly string[], name: string): string {
  const line = headers.find((each) => each.toLowerCase().startsWith(`${name}:`));
  return line === undefined ? '' : line.slice(name.length + 1).trim();
}
