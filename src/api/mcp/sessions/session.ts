import { type Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import type { Places } from '../../../base/places.ts';
import type { Clock } from '../../../base/time.ts';
import type { Principal } from '../../auth/principal.ts';
import { type Reply, replyEmpty, replyStream } from '../../http/answer/reply.ts';
import { acceptedBy, inAcceptedForm } from '../accept.ts';
import type { FastPath } from '../fast-path/fast-path.ts';
import { authInfoOf, type McpContents } from '../mcp-contents.ts';
import { type McpRequest, SESSION_HEADER } from '../mcp-request.ts';
import {
  cancelledId,
  EVENTS_HEADERS,
  EVENTS_TYPE,
  KEEP_ALIVE_MS,
  notAcceptable,
  type RpcId,
} from '../rpc-message.ts';
import { mcpServer } from '../sdk/mcp-server.ts';
import { type HttpVerb, replyOf, webRequest } from '../sdk/web-exchange.ts';
import { isWithin, streamPlace } from '../stream-places.ts';
import { Channel, type ChannelDeps } from './channel.ts';
import { isRequestEvent, isWithheld, type RequestEvents } from './request-events.ts';

export interface SessionDeps extends ChannelDeps {
  readonly contents: McpContents;
  /** Null: the SDK answers everything. */
  readonly fastPath: FastPath | null;
  readonly events: RequestEvents;
  readonly streams: Places;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

/** How soon a client reconnects after its stream was cut. */
const RETRY_MS = 1_000;

/**
 * One client's session (`?stateful`): a long-lived SDK server and a stream of pushes. The SDK keeps the answers to calls
 * that wait or have an effect, for clients whose connection breaks.
 */
export class McpSession {
  readonly id: string;
  readonly #deps: SessionDeps;
  readonly #channel: Channel;
  readonly #transport: WebStandardStreamableHTTPServerTransport;
  readonly #server: Server;
  /** The principal of the newest request: the credential may have gained agents since the session began. */
  #principal: Principal;
  #usedMs: number;
  #inProgress = 0;
  #isInitialized = false;
  /** Ids of cancelled calls that the SDK has not answered yet. */
  readonly #withheld = new Set<RpcId>();

  constructor(deps: SessionDeps, id: string, principal: Principal) {
    this.id = id;
    this.#deps = deps;
    this.#principal = principal;
    this.#channel = new Channel(deps, () => this.#principal);
    this.#transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      eventStore: deps.events.of(id, (requestId) => this.#withheld.delete(requestId)),
      retryInterval: RETRY_MS,
      keepAliveMs: KEEP_ALIVE_MS,
      onsessioninitialized: () => {
        this.#isInitialized = true;
      },
    });
    const served = { owner: id, updates: 'session', subscriptions: this.#channel } as const;
    this.#server = mcpServer(deps.contents, served);
    this.#usedMs = deps.clock.monotonicMs();
  }

  /** Must be called first. */
  async begin(): Promise<void> {
    await this.#channel.begin();
    await this.#server.connect(this.#transport);
  }

  /** Whether `initialize` succeeded. */
  get isInitialized(): boolean {
    return this.#isInitialized;
  }

  get credentialId(): string {
    return this.#principal.credentialId;
  }

  get accountId(): string {
    return this.#principal.accountId;
  }

  /** Whether a stream is open or a request pending. */
  get isInUse(): boolean {
    return this.#inProgress > 0;
  }

  /** When it was last used, in monotonic milliseconds. */
  get usedMs(): number {
    return this.#usedMs;
  }

  /** Whether it may continue now that its credential acts for these agents. */
  isFor(agentIds: readonly string[]): boolean {
    return isWithin(this.#principal, agentIds);
  }

  post(request: McpRequest, body: unknown): Reply | Promise<Reply> {
    this.#use(request);
    const cancelled = cancelledId(body);
    if (cancelled !== null) {
      // The SDK would leave the call's stream open forever, so the call is aborted and its answer withheld.
      this.#deps.contents.cancellations.cancel(this.id, cancelled);
      return replyEmpty(202);
    }
    const fast = this.#deps.fastPath?.answerInSession(request, body, this.id);
    return inAcceptedForm(request, body, fast ?? this.#bySdk('POST', request, body));
  }

  /** Opens the stream of pushes, or resumes the answer to a request. */
  async get(request: McpRequest): Promise<Reply> {
    this.#use(request);
    const lastEventId = request.header('last-event-id');
    // Clients would otherwise reconnect every second; 204 tells them not to (HTML, "Server-sent events").
    if (this.#deps.events.isOver(this.id, lastEventId)) return replyEmpty(204);
    if (!acceptedBy(request).events) return notAcceptable();
    if (isRequestEvent(lastEventId)) return await this.#bySdk('GET', request);
    const protocolVersion = request.header('mcp-protocol-version');
    const frames = this.#channel.frames({ signal: request.signal, protocolVersion, lastEventId });
    const headers = { ...EVENTS_HEADERS, [SESSION_HEADER]: this.id };
    const leavePlace = streamPlace(this.#deps.streams, request);
    return replyStream(200, EVENTS_TYPE, this.#whileInProgress(frames, leavePlace), { headers });
  }

  async delete(request: McpRequest): Promise<Reply> {
    return await this.#bySdk('DELETE', request);
  }

  /** Closes the stream of pushes. */
  endStream(): void {
    this.#channel.close();
  }

  /** Ends everything in progress; safe to call twice. */
  async close(): Promise<void> {
    this.#channel.close();
    await this.#server.close();
  }

  #use({ principal }: McpRequest): void {
    this.#principal = principal;
    this.#usedMs = this.#deps.clock.monotonicMs();
  }

  async #bySdk(method: HttpVerb, request: McpRequest, body?: unknown): Promise<Reply> {
    const leavePlace = streamPlace(this.#deps.streams, request);
    let isStream = false;
    this.#inProgress += 1;
    try {
      const response = await this.#transport.handleRequest(webRequest(method, request, body !== undefined), {
        authInfo: authInfoOf(request, (id) => this.#withheld.add(id)),
        ...(body === undefined ? {} : { parsedBody: body }),
      });
      const reply = await replyOf(response, request.signal);
      isStream = reply.kind === 'stream';
      return reply.kind === 'stream'
        ? { ...reply, body: this.#whileInProgress(sentPieces(reply.body), leavePlace) }
        : reply;
    } finally {
      if (!isStream) leavePlace();
      this.#done();
    }
  }

  /** Counts a stream as in use from the first read on. */
  async *#whileInProgress<Piece>(
    pieces: AsyncIterable<Piece>,
    leavePlace: () => void,
  ): AsyncGenerator<Piece> {
    this.#inProgress += 1;
    try {
      yield* pieces;
    } finally {
      leavePlace();
      this.#done();
    }
  }

  #done(): void {
    this.#inProgress -= 1;
    this.#usedMs = this.#deps.clock.monotonicMs();
  }
}

/** The pieces of an SDK stream without withheld answers. */
async function* sentPieces(pieces: AsyncIterable<string | Uint8Array>): AsyncGenerator<string | Uint8Array> {
  for await (const piece of pieces) if (typeof piece === 'string' || !isWithheld(piece)) yield piece;
}
