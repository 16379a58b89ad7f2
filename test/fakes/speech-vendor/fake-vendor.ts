import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { KeyState, VendorManners, VendorReply, VendorRequest } from './vendor-manners.ts';

/** What is to go wrong with one request. */
export type VendorFault =
  | { readonly kind: 'answer'; readonly reply: VendorReply }
  /** No answer ever. */
  | { readonly kind: 'hang' }
  /** Heads, then a byte every few milliseconds without end. */
  | { readonly kind: 'drip' }
  /** A body without end, as fast as it is read. */
  | { readonly kind: 'flood' }
  /** The connection breaks within the body. */
  | { readonly kind: 'cut' };

const DRIP_MS = 20;
const FLOOD_PIECE = Buffer.alloc(65_536, ' ');

/** The HTTP side of a speech vendor: strict in what it takes, with keys in every state, and faults on demand. */
export class FakeVendor {
  readonly manners: VendorManners;
  /** Every request that arrived, with its key. */
  readonly requests: (VendorRequest & { readonly key: string | null })[] = [];
  readonly keys: Map<string, KeyState>;
  readonly #faults: VendorFault[] = [];
  readonly #server: Server;
  #isHolding = false;
  #held: (() => void) | null = null;
  readonly #timers = new Set<NodeJS.Timeout>();

  private constructor(manners: VendorManners, server: Server) {
    this.manners = manners;
    this.#server = server;
    this.keys = new Map([
      [`key-of-${manners.name}-0123456789abcdef`, 'valid'],
      [`limited-key-of-${manners.name}-0123456789`, 'missing_scope'],
      [`broke-key-of-${manners.name}-0123456789ab`, 'out_of_funds'],
    ]);
    server.on('request', (request, response) => this.#serve(request, response));
  }

  static async start(manners: VendorManners, port = 0): Promise<FakeVendor> {
    const server = createServer().listen(port, '127.0.0.1');
    await once(server, 'listening');
    return new FakeVendor(manners, server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** A key in this state. */
  keyThatIs(state: Exclude<KeyState, 'bad_key'>): string {
    return [...this.keys].find(([, known]) => known === state)![0];
  }

  /** The next request meets this fault, whatever it asks for. */
  failNext(fault: VendorFault): void {
    this.#faults.push(fault);
  }

  /** The next request is answered once `release` is called. */
  holdNext(): void {
    this.#isHolding = true;
  }

  release(): void {
    this.#held?.();
  }

  /** Safe to call twice. */
  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  #serve({ method = '', url = '/', headers }: IncomingMessage, response: ServerResponse): void {
    const { pathname: path, searchParams: query } = new URL(url, this.url);
    const request = { method, path, query, headers };
    this.requests.push({ ...request, key: this.manners.keyIn(headers) });
    const fault = this.#faults.shift();
    if (fault) return this.#fail(fault, response);
    const answer = () => send(response, this.#answer(request));
    if (!this.#isHolding) return answer();
    this.#isHolding = false;
    this.#held = answer;
  }

  #answer(request: VendorRequest): VendorReply {
    const { endpoints, open = [], precheck, refuse, notFound, wrongMethod } = this.manners;
    const endpoint = Object.hasOwn(endpoints, request.path) ? endpoints[request.path] : undefined;
    if (endpoint === undefined) return notFound;
    if (request.method !== 'GET') return wrongMethod;
    const wrong = precheck?.(request);
    if (wrong) return wrong;
    const state = this.keys.get(this.manners.keyIn(request.headers) ?? '') ?? 'bad_key';
    if (state !== 'valid' && !open.includes(request.path)) return refuse(state);
    return endpoint(request);
  }

  #fail(fault: VendorFault, response: ServerResponse): void {
    switch (fault.kind) {
      case 'answer':
        send(response, fault.reply);
        break;
      case 'hang':
        break;
      case 'drip':
        response.writeHead(200, { 'content-type': 'application/json' });
        this.#drip(response);
        break;
      case 'flood':
        response.writeHead(200, { 'content-type': 'application/json' });
        flood(response);
        break;
      case 'cut':
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
        response.write('{"voices":[', () => response.destroy());
    }
  }

  #drip(response: ServerResponse): void {
    const timer = setInterval(() => response.write(' '), DRIP_MS);
    this.#timers.add(timer);
    response.once('close', () => clearInterval(timer));
  }
}

function flood(response: ServerResponse): void {
  while (!response.destroyed && response.write(FLOOD_PIECE));
  if (!response.destroyed) response.once('drain', () => flood(response));
}

function send(response: ServerResponse, { status, body, headers = {} }: VendorReply): void {
  const isText = typeof body === 'string';
  response.writeHead(status, { 'content-type': isText ? 'text/plain' : 'application/json', ...headers });
  response.end(isText ? body : JSON.stringify(body));
}
