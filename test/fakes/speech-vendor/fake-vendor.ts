import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { refuse, SpeechHost, type VendorPart } from '../speech-host.ts';
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

/** Makes the parts of a vendor that speak and understand. */
export type VendorParts = (validKey: string) => readonly VendorPart[];

const DRIP_MS = 20;
const FLOOD_PIECE = Buffer.alloc(65_536, ' ');

/**
 * A speech vendor behind one URL: strict in what it takes, with keys in every state, and faults on demand. It answers
 * what presets ask for; its parts do the rest.
 */
export class FakeVendor implements VendorPart {
  readonly manners: VendorManners;
  /** Every request that arrived, with its key. */
  readonly requests: (VendorRequest & { readonly key: string | null })[] = [];
  readonly keys: Map<string, KeyState>;
  /** Every request and every upgrade meets this fault. */
  fault: VendorFault | null = null;
  readonly #parts: readonly VendorPart[];
  readonly #faults: VendorFault[] = [];
  readonly #streams = new Set<Duplex & { readonly bytesRead?: number }>();
  #host!: SpeechHost;
  #isHolding = false;
  #held: (() => void) | null = null;
  readonly #timers = new Set<NodeJS.Timeout>();

  private constructor(manners: VendorManners, newParts: VendorParts) {
    this.manners = manners;
    this.keys = new Map([
      [`key-of-${manners.name}-0123456789abcdef`, 'valid'],
      [`limited-key-of-${manners.name}-0123456789`, 'missing_scope'],
      [`broke-key-of-${manners.name}-0123456789ab`, 'out_of_funds'],
    ]);
    this.#parts = newParts(this.keyThatIs('valid'));
  }

  static async start(
    manners: VendorManners,
    port = 0,
    newParts: VendorParts = () => [],
  ): Promise<FakeVendor> {
    const vendor = new FakeVendor(manners, newParts);
    vendor.#host = await SpeechHost.startAt(port, vendor);
    return vendor;
  }

  get url(): string {
    return this.#host.url;
  }

  get offences(): string[] {
    return this.#parts.flatMap(({ offences }) => offences);
  }

  /** WebSockets that are open, and requests that are not answered. */
  get openStreams(): number {
    return this.#streams.size;
  }

  /** Bytes that open WebSockets, and requests that are not answered, have brought. */
  get receivedBytes(): number {
    return [...this.#streams].reduce((sum, { bytesRead = 0 }) => sum + bytesRead, 0);
  }

  /** The part of this class. */
  part<Part extends VendorPart>(Kind: abstract new (...args: never[]) => Part): Part {
    return this.#parts.find((part) => part instanceof Kind) as Part;
  }

  /** A key in this state. */
  keyThatIs(state: Exclude<KeyState, 'bad_key'>): string {
    return [...this.keys].find(([, known]) => known === state)![0];
  }

  /** The next request or upgrade meets this fault, whatever it asks for. */
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

  /** Cuts all WebSockets, and all requests that are not answered. */
  cutAll(): void {
    for (const stream of this.#streams) stream.destroy();
  }

  /** Safe to call twice. */
  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await this.#host.stop();
  }

  serve(incoming: IncomingMessage, response: ServerResponse): boolean {
    this.#follow(incoming.socket, response);
    const { method = '', url = '/', headers } = incoming;
    const { pathname: path, searchParams: query } = new URL(url, this.url);
    const request = { method, path, query, headers };
    this.requests.push({ ...request, key: this.manners.keyIn(headers) });
    const fault = this.#nextFault();
    const answer = () => send(response, this.#answer(request));
    if (fault) this.#fail(fault, response);
    else if (this.#parts.some((part) => part.serve?.(incoming, response))) return true;
    else if (!this.#isHolding) answer();
    else {
      this.#isHolding = false;
      this.#held = answer;
    }
    return true;
  }

  accept(request: IncomingMessage, stream: Duplex, head: Buffer): boolean {
    // Those of requests are the HTTP server's.
    stream.on('error', () => {});
    this.#follow(stream, stream);
    const fault = this.#nextFault();
    if (fault?.kind === 'answer') {
      const { status, body } = fault.reply;
      refuse(stream, status, typeof body === 'string' ? body : JSON.stringify(body));
    } else if (fault?.kind === 'cut') {
      stream.destroy();
    } else if (fault !== null) {
      // Without a reader, the end of the client would not be seen.
      stream.resume().once('end', () => stream.destroy());
    }
    return fault !== null || this.#parts.some((part) => part.accept?.(request, stream, head));
  }

  #follow(stream: Duplex, until: Duplex | ServerResponse): void {
    this.#streams.add(stream);
    until.once('close', () => this.#streams.delete(stream));
  }

  #nextFault(): VendorFault | null {
    return this.#faults.shift() ?? this.fault;
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
