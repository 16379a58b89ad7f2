import { type Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import type { Places } from '../../base/places.ts';
import type { Clock } from '../../base/time.ts';
import type { Principal } from '../auth/principal.ts';
import { type Reply, replyBytes, replyEmpty, replyStream } from '../http/reply.ts';
import { Channel, type ChannelParts } from './channel.ts';
import { isWithin } from './listening.ts';
import { type McpRequest, SESSION_HEADER } from './mcp-request.ts';
import { mcpServer } from './mcp-server.ts';
import type { PlainCall, QuickAnswers } from './quick-answers.ts';
import { QuickCall, type Waiting } from './quick-call.ts';
import { isRequestEvent, isWithheld, type RequestEvents } from './request-events.ts';
import {
  cancelledId,
  EVENTS_HEADERS,
  EVENTS_TYPE,
  isRecord,
  JSON_TYPE,
  KEEP_ALIVE_MS,
  type RpcId,
  rpcError,
} from './rpc-message.ts';
import { authInfoOf, type McpContents } from './served.ts';
import { streamPlace } from './stream-place.ts';
import { type HttpVerb, replyOf, webRequest } from './web-exchange.ts';

export interface SessionParts extends ChannelParts {
  readonly contents: McpContents;
  readonly quick: QuickAnswers;
  readonly waiting: Waiting;
  readonly events: RequestEvents;
  readonly streams: Places;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

/** How soon a client comes back whose stream was cut. */
const RETRY_MS = 1_000;

/**
 * One client's session (`?stateful`): a server of the SDK that stays, and a stream of pushes. Answers to calls that wait or
 * have an effect go through the SDK, which keeps them for a client whose connection is cut meanwhile.
 */
export class McpSession {
  readonly id: string;
  readonly #parts: SessionParts;
  readonly #channel: Channel;
  readonly #transport: WebStandardStreamableHTTPServerTransport;
  readonly #server: Server;
  /** Who asked last: the credential may have been given more since the session began. */
  #principal: Principal;
  #usedMs: number;
  #underWay = 0;
  #isInitialized = false;
  /** Ids of calls that were cancelled, and whose answers the SDK has not given yet. */
  readonly #withheld = new Set<RpcId>();

  constructor(parts: SessionParts, id: string, principal: Principal) {
    this.id = id;
    this.#parts = parts;
    this.#principal = principal;
    this.#channel = new Channel(parts, () => this.#principal);
    this.#transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      eventStore: parts.events.of(id, (requestId) => this.#withheld.delete(requestId)),
      retryInterval: RETRY_MS,
      keepAliveMs: KEEP_ALIVE_MS,
      onsessioninitialized: () => {
        this.#isInitialized = true;
      },
    });
    const served = { owner: id, updates: 'session', subscriptions: this.#channel } as const;
    this.#server = mcpServer(parts.contents, served);
    this.#usedMs = parts.clock.monotonicMs();
  }

  /** To be called first. */
  async begin(): Promise<void> {
    await this.#channel.begin();
    await this.#server.connect(this.#transport);
  }

  /** Whether its client was let open it. */
  get isInitialized(): boolean {
    return this.#isInitialized;
  }

  get credentialId(): string {
    return this.#principal.credentialId;
  }

  get accountId(): string {
    return this.#principal.accountId;
  }

  /** Whether somebody listens, or waits for an answer. */
  get isInUse(): boolean {
    return this.#underWay > 0;
  }

  /** When it was last used, in milliseconds on the clock. */
  get usedMs(): number {
    return this.#usedMs;
  }

  isOf(credentialId: string): boolean {
    return this.#principal.credentialId === credentialId;
  }

  /** Whether it may go on once its credential acts for these agents alone. */
  isFor(agentIds: readonly string[]): boolean {
    return isWithin(this.#principal, agentIds);
  }

  post(request: McpRequest, body: unknown): Reply | Promise<Reply> {
    this.#use(request);
    const cancelled = cancelledId(body);
    if (cancelled !== null) {
      // The SDK would leave the call's stream open for ever; so it answers, and the answer is withheld.
      this.#parts.waiting.cancellations.cancel(this.id, cancelled);
      return replyEmpty(202);
    }
    const call = this.#parts.quick.read(request, body);
    if (call !== null && isAtOnce(call)) return this.#quickly(request, call);
    return this.#bySdk('POST', request, body);
  }

  /** Opens the stream of pushes, or goes on with the answer to a request. */
  async get(request: McpRequest): Promise<Reply> {
    this.#use(request);
    const lastEventId = request.header('last-event-id');
    // 204 tells clients not to come back (HTML, "Server-sent events"): they would, every second.
    if (this.#parts.events.isOver(this.id, lastEventId)) return replyEmpty(204);
    if (isRequestEvent(lastEventId)) return await this.#bySdk('GET', request);
    if (!request.header('accept').includes(EVENTS_TYPE))
      return rpcError(406, -32_000, 'Not Acceptable: Client must accept text/event-stream');
    const protocolVersion = request.header('mcp-protocol-version');
    const frames = this.#channel.frames({ signal: request.signal, protocolVersion, lastEventId });
    const headers = { ...EVENTS_HEADERS, [SESSION_HEADER]: this.id };
    const leavePlace = streamPlace(this.#parts.streams, request);
    return replyStream(200, EVENTS_TYPE, this.#whileUnderWay(frames, leavePlace), { headers });
  }

  async delete(request: McpRequest): Promise<Reply> {
    return await this.#bySdk('DELETE', request);
  }

  /** Ends the stream of pushes that is open. */
  endStream(): void {
    this.#channel.close();
  }

  /** Ends what it has under way; safe to call twice. */
  async close(): Promise<void> {
    this.#channel.close();
    await this.#server.close();
  }

  #use({ principal }: McpRequest): void {
    this.#principal = principal;
    this.#usedMs = this.#parts.clock.monotonicMs();
  }

  #quickly(request: McpRequest, { id, tool, args, progressToken }: PlainCall): Reply | Promise<Reply> {
    const headers = { [SESSION_HEADER]: this.id };
    const call = new QuickCall(
      {
        request,
        id,
        owner: this.id,
        isStateful: true,
        progressToken,
        encode: (result) => this.#parts.quick.legacyAnswer(tool, id, result),
        whole: (result) =>
          replyBytes(200, JSON_TYPE, this.#parts.quick.legacyBody(tool, id, result), headers),
      },
      this.#parts.waiting,
    );
    return call.answer(tool.call(call, args));
  }

  async #bySdk(method: HttpVerb, request: McpRequest, body?: unknown): Promise<Reply> {
    const leavePlace = streamPlace(this.#parts.streams, request);
    let isStream = false;
    this.#underWay += 1;
    try {
      const response = await this.#transport.handleRequest(webRequest(method, request), {
        authInfo: authInfoOf(request, (id) => this.#withheld.add(id)),
        ...(body === undefined ? {} : { parsedBody: body }),
      });
      const reply = await replyOf(response, request.signal);
      isStream = reply.kind === 'stream';
      return reply.kind === 'stream'
        ? { ...reply, body: this.#whileUnderWay(sentPieces(reply.body), leavePlace) }
        : reply;
    } finally {
      if (!isStream) leavePlace();
      this.#done();
    }
  }

  /** A stream that nobody begins to read does not count. */
  async *#whileUnderWay<Piece>(pieces: AsyncIterable<Piece>, leavePlace: () => void): AsyncGenerator<Piece> {
    this.#underWay += 1;
    try {
      yield* pieces;
    } finally {
      leavePlace();
      this.#done();
    }
  }

  #done(): void {
    this.#underWay -= 1;
    this.#usedMs = this.#parts.clock.monotonicMs();
  }
}

/** What may go out of what the SDK says. */
async function* sentPieces(pieces: AsyncIterable<string | Uint8Array>): AsyncGenerator<string | Uint8Array> {
  for await (const piece of pieces) if (typeof piece === 'string' || !isWithheld(piece)) yield piece;
}

/** Whoever loses the answer of a call that only looks asks again: nothing need be kept of it. */
function isAtOnce({ tool, args, isModern }: PlainCall): boolean {
  const waits = isRecord(args) && Boolean(args.wait);
  return !isModern && !waits && tool.description.annotations?.readOnlyHint === true;
}
