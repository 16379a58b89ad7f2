import { createSocket, type Socket } from 'node:dgram';
import { within } from '../../test/support/wait-for.ts';

const DEADLINE_MS = 3_000;

type Dictionary = Readonly<Record<string, string | readonly string[]>>;

/** rtpengine's control protocol: a cookie and a bencoded dictionary in a UDP datagram, answered alike. */
export class NgClient {
  readonly #socket: Socket = createSocket('udp4');
  readonly #port: number;
  readonly #waiting = new Map<string, (answer: string) => void>();
  #cookies = 0;

  constructor(port: number) {
    this.#port = port;
    this.#socket.on('message', (bytes) => {
      const text = bytes.toString('latin1');
      const space = text.indexOf(' ');
      this.#waiting.get(text.slice(0, space))?.(text.slice(space + 1));
    });
    // rtpengine does not listen yet while it starts; the request has a deadline.
    this.#socket.on('error', () => {});
  }

  /** Sends a command and returns its answer, of which all values are strings; throws when the result is an error. */
  async ask(request: Dictionary, deadlineMs = DEADLINE_MS): Promise<Record<string, string>> {
    const cookie = `c${this.#cookies++}`;
    const answer = new Promise<string>((resolve) => this.#waiting.set(cookie, resolve));
    this.#socket.send(`${cookie} ${bencode(request)}`, this.#port, '127.0.0.1');
    try {
      const fields = stringsOf(await within(`rtpengine's answer to ${request.command}`, answer, deadlineMs));
      if (fields.result === 'error') throw new Error(`rtpengine: ${fields['error-reason']}`);
      return fields;
    } finally {
      this.#waiting.delete(cookie);
    }
  }

  close(): void {
    this.#socket.close();
  }
}

function bencode(value: string | readonly string[] | Dictionary): string {
  if (typeof value === 'string') return `${value.length}:${value}`;
  if (Array.isArray(value)) return `l${value.map(bencode).join('')}e`;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `d${entries.map(([name, field]) => bencode(name) + bencode(field)).join('')}e`;
}

/** The string values of a flat bencoded dictionary; numbers are skipped. */
function stringsOf(text: string): Record<string, string> {
  const fields: Record<string, string> = {};
  let at = 1;
  const readString = (): string => {
    const colon = text.indexOf(':', at);
    const from = colon + 1;
    at = from + Number(text.slice(at, colon));
    return text.slice(from, at);
  };
  while (/\d/.test(text[at] ?? '')) {
    const name = readString();
    if (text[at] === 'i') at = text.indexOf('e', at) + 1;
    else fields[name] = readString();
  }
  return fields;
}
