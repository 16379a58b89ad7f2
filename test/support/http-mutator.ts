import { type HttpCase, httpCatalogue } from './http-catalogue.ts';
import { SeededRandom } from './seeded-random.ts';

type Mutation = (text: string, random: SeededRandom, other: string) => string;

/** Strings that HTTP parsers have misread, inserted where lines and fields begin and end. */
const NASTY = [
  ...[
    '\r\n',
    '\n',
    '\r',
    '\r\n\r\n',
    '\n\n',
    '\r\r\n',
    ' ',
    '\t',
    '\u0000',
    '\u007f',
    '\u00ff',
    ':',
    ',',
    ';',
    '"',
  ],
  ...[
    'Content-Length: 5\r\n',
    'Content-Length: 0\r\n',
    'Transfer-Encoding: chunked\r\n',
    'Transfer-Encoding: identity\r\n',
  ],
  ...['GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n', 'HTTP/1.1', '0\r\n\r\n', '0\r\n', '5\r\n', 'ffffffff\r\n'],
  ...[
    'Connection: close\r\n',
    'Expect: 100-continue\r\n',
    'Upgrade: websocket\r\n',
    ' folded\r\n',
    '%00',
    '..',
    '//',
  ],
];
/** Longer requests cost more time than they reveal. */
const MAX_BYTES = 4_000;

const MUTATIONS: readonly Mutation[] = [
  (text, random) => replaceAt(text, random.below(text.length), 1, char(random)),
  (text, random) => replaceAt(text, random.below(text.length + 1), 0, char(random)),
  (text, random) => replaceAt(text, random.below(text.length), 1 + random.below(4), ''),
  (text, random) => replaceAt(text, random.below(text.length), 0, slice(text, random)),
  (text, random) => replaceAt(text, boundary(text, random), 0, random.pick(NASTY)),
  (text, random) =>
    replaceAt(text, boundary(text, random), 2, random.pick(['\n', '\r', '\r\r\n', '\n\r', ''])),
  (text, random) => withLines(text, (lines) => lines.splice(random.below(lines.length), 1)),
  (text, random) =>
    withLines(text, (lines) => lines.splice(random.below(lines.length), 0, random.pick(lines))),
  (text, random) => withLines(text, (lines) => lines.push(...lines.splice(random.below(lines.length), 1))),
  (text, random, other) =>
    withLines(text, (lines) =>
      lines.splice(1 + random.below(lines.length), 0, random.pick(other.split('\r\n'))),
    ),
  (text, random, other) => slice(text, random, 0) + slice(other, random),
  (text, random) => text.replace(/\d+/, () => `${random.below(300)}`),
  (text, random) => (random.below(2) === 0 ? text.toLowerCase() : text.toUpperCase()),
];

/** Requests damaged by up to three mutations each; the same ones for the same seed. */
export class HttpMutator {
  readonly #random: SeededRandom;
  readonly #cases: readonly HttpCase[];

  constructor(seed: number) {
    this.#random = new SeededRandom(seed);
    this.#cases = httpCatalogue().filter(({ bytes }) => bytes.length <= MAX_BYTES);
  }

  next(): Buffer {
    const random = this.#random;
    let text = random.pick(this.#cases).bytes.toString('latin1');
    for (let left = 1 + random.below(3); left > 0; left--) {
      const other = random.pick(this.#cases).bytes.toString('latin1');
      text = random.pick(MUTATIONS)(text, random, other).slice(0, MAX_BYTES) || '\r\n';
    }
    return Buffer.from(text, 'latin1');
  }

  /** The same bytes in so many pieces, cut anywhere. */
  cut(bytes: Buffer, pieces: 2 | 3): Buffer[] {
    const places = Array.from(
      { length: pieces - 1 },
      () => 1 + this.#random.below(Math.max(1, bytes.length - 1)),
    );
    return cutAt(
      bytes,
      places.sort((a, b) => a - b),
    );
  }
}

/** The bytes in pieces that begin at these places. */
export function cutAt(bytes: Buffer, places: readonly number[]): Buffer[] {
  const edges = [0, ...places, bytes.length];
  return edges
    .slice(1)
    .map((end, index) => bytes.subarray(edges[index], end))
    .filter(({ length }) => length > 0);
}

function replaceAt(text: string, at: number, length: number, by: string): string {
  return text.slice(0, at) + by + text.slice(at + length);
}

function char(random: SeededRandom): string {
  return String.fromCharCode(random.below(256));
}

function slice(text: string, random: SeededRandom, from = random.below(text.length)): string {
  return text.slice(from, from + 1 + random.below(text.length));
}

/** Where a line ends. */
function boundary(text: string, random: SeededRandom): number {
  const ends = [...text.matchAll(/\r\n/g)].map(({ index }) => index);
  return ends.length === 0 ? 0 : random.pick(ends);
}

/** Damages the head only; the body stays. */
function withLines(text: string, change: (lines: string[]) => void): string {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return text;
  const lines = text.slice(0, end).split('\r\n');
  change(lines);
  return lines.join('\r\n') + text.slice(end);
}
