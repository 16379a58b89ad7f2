import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { destroyOnAbort } from '../../base/destroy-on-abort.ts';
import { type FindAddresses, guardedLookup, isClosedAddress } from '../../base/find-addresses.ts';
import { networkCode, neverArrived } from '../../base/network-error.ts';
import { type AddressRule, isClosedLiteral, literalIn } from '../../base/public-address.ts';
import type { ReadingTime } from '../../base/reading-time.ts';
import type { Clock } from '../../base/time.ts';
import { ModelFault, NotReached } from '../model-fault.ts';
import { ModelAnswer, silent } from './model-answer.ts';
import type { Patience } from './patience.ts';

export interface ModelRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: URL;
  /** They carry the key. `content-type: application/json` is added to those with a body. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
  readonly patience: Patience;
  /** Ends the request, and the reading of its answer. */
  readonly signal: AbortSignal;
}

/** Sends the requests of one account, which has a share of the time for answers. */
export interface AccountHttp {
  /**
   * Resolves with the answer once its head is there; the caller reads the body. Rejects with a ModelFault `bad_endpoint`,
   * `unreachable` or, when the endpoint says nothing, `cut`, or with the signal's reason.
   */
  send(wanted: ModelRequest): Promise<ModelAnswer>;
}

export interface ModelHttpDeps {
  readonly findAddresses: FindAddresses;
  /** Addresses that endpoints may have. */
  readonly isOpen: AddressRule;
  readonly clock: Clock;
  readonly readingTime: ReadingTime;
}

/**
 * Longer than people usually pause on a call: the next turn needs no new TLS handshake. Servers that close connections
 * earlier say so (`keep-alive: timeout=5`), and Node's agent obeys.
 */
const IDLE_MS = 30_000;
/** Limit for one host: of turns under way, which each have a connection. */
const MAX_SOCKETS = 512;
const MAX_IDLE_SOCKETS = 64;
const MAX_HEADER_BYTES = 64 * 1_024;
/** What waits to be read of one answer. Twice of it is read from the network at once. */
const MAX_UNREAD_BYTES = 16 * 1_024;

/**
 * HTTP requests to model providers, whose endpoints people configure: never from inside this machine's network (SSRF).
 * Every connection goes to a checked address. Redirects are not followed, since they would take the key along.
 * Connections stay open for the next turn.
 */
export class ModelHttp {
  readonly #findAddresses: FindAddresses;
  readonly #isOpen: AddressRule;
  readonly #clock: Clock;
  readonly #readingTime: ReadingTime;
  readonly #plain: HttpAgent;
  readonly #secure: HttpsAgent;

  constructor({ findAddresses, isOpen, clock, readingTime }: ModelHttpDeps) {
    this.#findAddresses = findAddresses;
    this.#isOpen = isOpen;
    this.#clock = clock;
    this.#readingTime = readingTime;
    const options = {
      keepAlive: true,
      timeout: IDLE_MS,
      maxSockets: MAX_SOCKETS,
      maxFreeSockets: MAX_IDLE_SOCKETS,
      readableHighWaterMark: MAX_UNREAD_BYTES,
      lookup: guardedLookup(findAddresses, isOpen),
    };
    this.#plain = new HttpAgent(options);
    this.#secure = new HttpsAgent(options);
  }

  /** The same connections, for one account. */
  of(accountId: string): AccountHttp {
    return { send: async (wanted) => await this.#send(wanted, accountId) };
  }

  /**
   * Whether connections to a host may be opened, now that its addresses are looked up. True for a name without any: it
   * may get some.
   */
  async mayConnect({ hostname }: URL): Promise<boolean> {
    const literal = literalIn(hostname);
    if (literal !== null) return this.#isOpen(literal);
    const addresses = await this.#findAddresses(hostname).catch(() => []);
    return addresses.every(this.#isOpen);
  }

  /** Closes all connections. */
  close(): void {
    this.#plain.destroy();
    this.#secure.destroy();
  }

  async #send(wanted: ModelRequest, accountId: string): Promise<ModelAnswer> {
    const { signal, patience, url } = wanted;
    signal.throwIfAborted();
    this.#check(url);
    const reader = this.#readingTime.of(accountId);
    try {
      const answer = await this.#answer(wanted);
      return new ModelAnswer(answer, { clock: this.#clock, reader, idleMs: patience.idleMs, signal });
    } catch (error) {
      throw signal.aborted ? signal.reason : failureOf(error);
    }
  }

  /** No name is looked up for an IP address, so it is checked here. */
  #check({ protocol, hostname, username, password }: URL): void {
    const isPlain = /^https?:$/.test(protocol) && username === '' && password === '';
    if (!isPlain || isClosedLiteral(hostname, this.#isOpen)) throw closedEndpoint();
  }

  #answer({ method, url, headers, body, patience, signal }: ModelRequest): Promise<IncomingMessage> {
    const isSecure = url.protocol === 'https:';
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const request = (isSecure ? httpsRequest : httpRequest)(url, {
      method,
      headers: body === undefined ? headers : { 'content-type': 'application/json', ...headers },
      agent: isSecure ? this.#secure : this.#plain,
      maxHeaderSize: MAX_HEADER_BYTES,
    });
    // Idle connections end by the agent's timeout; a turn ends by its signal.
    request.setTimeout(0);
    const { headMs } = patience;
    const cancel = this.#clock.after(headMs, () => request.destroy(silent(headMs)));
    request.on('response', (answer) => {
      cancel();
      resolve(answer);
    });
    request.on('error', reject);
    request.on('close', cancel);
    destroyOnAbort(request, signal);
    request.end(body);
    return promise;
  }
}

/** Says only what helps to correct the endpoint: reasons in detail would map a network. */
function failureOf(error: unknown): ModelFault {
  if (error instanceof ModelFault) return error;
  if (isClosedAddress(error)) return closedEndpoint();
  const code = networkCode(error);
  if (code === 'ERR_INVALID_CHAR') {
    return new ModelFault(
      'key_rejected',
      { words: 'the key has characters that no key has' },
      { cause: error },
    );
  }
  const words = `the endpoint could not be reached${code === '' ? '' : `: ${code}`}`;
  // The connection may have been lost after the request had arrived.
  return new NotReached('unreachable', { words, isDoubtful: !neverArrived(code) }, { cause: error });
}

function closedEndpoint(): NotReached {
  return new NotReached('bad_endpoint', { words: 'the endpoint is not a URL of a public host' });
}
