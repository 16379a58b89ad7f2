import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { destroyOnAbort } from '../../base/destroy-on-abort.ts';
import { type FindAddresses, guardedLookup, isClosedAddress } from '../../base/find-addresses.ts';
import { networkCode, neverArrived } from '../../base/network-error.ts';
import { type AddressRule, isClosedLiteral, literalIn } from '../../base/public-address.ts';
import { ModelFault, NotReached } from '../model-fault.ts';

export interface ModelRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: URL;
  /** They carry the key. `content-type: application/json` is added to those with a body. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
  /** Ends the request, and the reading of its answer. */
  readonly signal: AbortSignal;
}

export interface ModelHttpDeps {
  readonly findAddresses: FindAddresses;
  /** Addresses that endpoints may have. */
  readonly isOpen: AddressRule;
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

/**
 * HTTP requests to model providers, whose endpoints people configure: never from inside this machine's network (SSRF).
 * Every connection goes to a checked address. Redirects are not followed, since they would take the key along.
 * Connections stay open for the next turn.
 */
export class ModelHttp {
  readonly #findAddresses: FindAddresses;
  readonly #isOpen: AddressRule;
  readonly #plain: HttpAgent;
  readonly #secure: HttpsAgent;

  constructor({ findAddresses, isOpen }: ModelHttpDeps) {
    this.#findAddresses = findAddresses;
    this.#isOpen = isOpen;
    const options = {
      keepAlive: true,
      timeout: IDLE_MS,
      maxSockets: MAX_SOCKETS,
      maxFreeSockets: MAX_IDLE_SOCKETS,
      lookup: guardedLookup(findAddresses, isOpen),
    };
    this.#plain = new HttpAgent(options);
    this.#secure = new HttpsAgent(options);
  }

  /**
   * Resolves with the answer once its head is there; the caller reads the body or destroys it. Rejects with a ModelFault
   * `bad_endpoint` or `unreachable`, or with the signal's reason.
   */
  async send(wanted: ModelRequest): Promise<IncomingMessage> {
    wanted.signal.throwIfAborted();
    this.#check(wanted.url);
    try {
      return await this.#answer(wanted);
    } catch (error) {
      throw wanted.signal.aborted ? wanted.signal.reason : failureOf(error);
    }
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

  /** No name is looked up for an IP address, so it is checked here. */
  #check({ protocol, hostname, username, password }: URL): void {
    const isPlain = /^https?:$/.test(protocol) && username === '' && password === '';
    if (!isPlain || isClosedLiteral(hostname, this.#isOpen)) throw closedEndpoint();
  }

  #answer({ method, url, headers, body, signal }: ModelRequest): Promise<IncomingMessage> {
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
    request.on('response', resolve);
    request.on('error', reject);
    destroyOnAbort(request, signal);
    request.end(body);
    return promise;
  }
}

/** Says only what helps to correct the endpoint: reasons in detail would map a network. */
function failureOf(error: unknown): ModelFault {
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
