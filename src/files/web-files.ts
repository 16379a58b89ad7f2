import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { GatewayError } from '../base/errors.ts';
import { type FindAddresses, guardedLookup, isClosedAddress } from '../base/find-addresses.ts';
import { networkCode } from '../base/network-error.ts';
import { type AddressRule, isClosedLiteral } from '../base/public-address.ts';

/** A file being fetched from the web. */
export interface WebFile {
  /** From the response or the URL. Null: neither has a name. */
  readonly name: string | null;
  readonly mime: string | null;
  /** Null: the server does not report it. */
  readonly lengthBytes: number | null;
  /** Throws `url_failed` when the server stops midway. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Closes the connection without reading the file. */
  close(): void;
}

const MAX_URL_LENGTH = 2_048;
const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Maximum time without data from the server. */
const SILENCE_MS = 10_000;

const HEADERS = {
  Accept: '*/*',
  // A small compressed body could unpack to any size.
  'Accept-Encoding': 'identity',
  'User-Agent': 'voice-chat-gateway',
};

/**
 * Fetches files from untrusted URLs, but never from inside this machine's network (SSRF). Every address of a host is
 * checked, the connection goes to a checked address, and every redirect is checked like the first URL.
 */
export class WebFiles {
  readonly #lookup: LookupFunction;
  readonly #isOpen: AddressRule;

  constructor(findAddresses: FindAddresses, isOpen: AddressRule) {
    this.#lookup = guardedLookup(findAddresses, isOpen);
    this.#isOpen = isOpen;
  }

  /**
   * Opens a URL. Throws `url_blocked`, without a reason, when it is not a URL of a public host, `url_failed` when the
   * host does not return the file or redirects too often, and the signal's reason when it aborts, before or while the
   * bytes are read.
   */
  async open(text: string, signal: AbortSignal, maxRedirects = MAX_REDIRECTS): Promise<WebFile> {
    let url = this.#checked(text, undefined);
    for (let redirects = 0; redirects <= maxRedirects; redirects++) {
      const answer = await this.#ask(url, signal);
      const location = REDIRECTS.has(answer.statusCode ?? 0) ? answer.headers.location : undefined;
      if (location === undefined) return fileOf(url, answer, signal);
      answer.destroy();
      url = this.#checked(location, url);
    }
    throw new GatewayError('url_failed');
  }

  /** Checks a URL, and the address of one that has no name. `base` is the URL that redirected. */
  #checked(text: string, base: URL | undefined): URL {
    const url = text.length <= MAX_URL_LENGTH && URL.canParse(text, base?.href) ? new URL(text, base) : null;
    const isPlain = url !== null && url.username === '' && url.password === '' && url.hostname !== '';
    if (!isPlain || !/^https?:$/.test(url.protocol)) throw new GatewayError('url_blocked');
    if (isClosedLiteral(url.hostname, this.#isOpen)) throw new GatewayError('url_blocked');
    return url;
  }

  #ask(url: URL, signal: AbortSignal): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const isSecure = url.protocol === 'https:';
    // A separate connection, so that no connection to another address is reused.
    const options = { agent: false as const, lookup: this.#lookup, signal, headers: HEADERS };
    const request = isSecure ? requestHttps(url, options) : requestHttp(url, options);
    request.setTimeout(SILENCE_MS, () => request.destroy(new GatewayError('url_failed')));
    request.on('error', (error) => reject(failureOf(error, signal)));
    request.on('response', (answer) => {
      if (this.#isOpen(answer.socket.remoteAddress ?? '')) return resolve(answer);
      answer.destroy();
      reject(new GatewayError('url_blocked'));
    });
    request.end();
    return promise;
  }
}

function fileOf(url: URL, answer: IncomingMessage, signal: AbortSignal): WebFile {
  const { headers, statusCode } = answer;
  if (statusCode !== 200 || (headers['content-encoding'] ?? 'identity') !== 'identity') {
    answer.destroy();
    throw new GatewayError('url_failed');
  }
  const length = headers['content-length'];
  return {
    name: nameInHeader(headers['content-disposition'] ?? '') ?? nameInPath(url),
    mime: headers['content-type'] ?? null,
    lengthBytes: length === undefined ? null : Number(length),
    bytes: bytesOf(answer, signal),
    close: () => void answer.destroy(),
  };
}

async function* bytesOf(answer: IncomingMessage, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    yield* answer;
  } catch (error) {
    throw failureOf(error, signal);
  } finally {
    answer.destroy();
  }
}

/** Clients do not see why a connection failed: they could map a network with it. The operator does. */
function failureOf(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  if (isClosedAddress(error) || networkCode(error) === 'ENOTFOUND') return new GatewayError('url_blocked');
  return error instanceof GatewayError ? error : new GatewayError('url_failed', undefined, { cause: error });
}

function nameInHeader(disposition: string): string | null {
  const plain = /;\s*filename\s*=\s*(?:"([^"]*)"|([^\s;"]+))/i.exec(disposition);
  return plain?.[1] ?? plain?.[2] ?? null;
}

function nameInPath({ pathname }: URL): string | null {
  const last = pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last) || null;
  } catch {
    return last;
  }
}
