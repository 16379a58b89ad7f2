import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server';
import { GatewayError } from '../../base/errors.ts';
import type { Places } from '../../base/places.ts';
import { type Reply, replyBytes } from '../http/reply.ts';
import { AnswerMemory, type ConstantRequest } from './answer-memory.ts';
import { Listening } from './listening.ts';
import type { McpCounts } from './mcp-counts.ts';
import type { McpRequest } from './mcp-request.ts';
import { mcpServer } from './mcp-server.ts';
import type { QuickAnswers } from './quick-answers.ts';
import type { Waiting } from './quick-call.ts';
import { cancelledId, isRecord, KEEP_ALIVE_MS, noAnswer } from './rpc-message.ts';
import { authInfoOf, type McpContents } from './served.ts';
import { streamPlace } from './stream-place.ts';
import { transcriptBus } from './transcript-bus.ts';
import { type HttpVerb, keptHeaders, replyOf, webRequest } from './web-exchange.ts';

export interface StatelessParts {
  readonly contents: McpContents;
  readonly waiting: Waiting;
  readonly quick: QuickAnswers;
  readonly counts: McpCounts;
  /** For streams that clients listen on. */
  readonly streams: Places;
  readonly onError: (error: unknown) => void;
}

/** Requests that stand alone, of both generations of the protocol. */
export class StatelessDoor {
  readonly #parts: StatelessParts;
  readonly #memory = new AnswerMemory();
  readonly #listening = new Set<Listening>();
  #isClosed = false;

  constructor(parts: StatelessParts) {
    this.#parts = parts;
  }

  /** `body`: the request's as JSON; undefined: it is none. */
  post(request: McpRequest, body: unknown): Reply | Promise<Reply> {
    const { counts, quick, waiting } = this.#parts;
    const call = quick.read(request, body);
    if (call !== null) {
      counts.quick += 1;
      return quick.answer(request, call);
    }
    const constant = this.#memory.read(request, body);
    const known = constant && this.#memory.find(constant);
    if (known !== null) {
      counts.quick += 1;
      return known;
    }
    if (constant !== null) return this.#learn(request, body, constant);
    const cancelled = cancelledId(body);
    if (cancelled !== null) waiting.cancellations.cancel(request.principal.credentialId, cancelled);
    return this.bySdk('POST', request, body);
  }

  /** Whatever it is, the SDK answers it. */
  async bySdk(method: HttpVerb, request: McpRequest, body?: unknown): Promise<Reply> {
    this.#parts.counts.sdk += 1;
    const handler = this.#handlerFor(request);
    if (isListen(body)) return await this.#listen(handler, request, body);
    const withheld = new Withheld();
    // Of a batch the other answers go out, and so all do.
    const withhold = isRecord(body) ? () => withheld.withhold() : () => {};
    const answer = answerOf(handler, method, request, { body, withhold });
    const signal = AbortSignal.any([request.signal, withheld.signal]);
    return await Promise.race([withheld.reply, answer.then((response) => replyOf(response, signal))]);
  }

  /** A credential acts for these agents from now on: whoever listens for others hears nothing more. */
  follow(credentialId: string, agentIds: readonly string[]): void {
    for (const listening of [...this.#listening])
      if (listening.credentialId === credentialId && !listening.isFor(agentIds)) listening.end();
  }

  /** Credentials of those who listen. */
  listeners(): string[] {
    return Array.from(this.#listening, ({ credentialId }) => credentialId);
  }

  /** Ends what listens, and lets nobody listen any more; safe to call twice. */
  close(): void {
    this.#isClosed = true;
    for (const listening of [...this.#listening]) listening.end();
  }

  async #learn(request: McpRequest, body: unknown, constant: ConstantRequest): Promise<Reply> {
    this.#parts.counts.sdk += 1;
    const response = await answerOf(this.#handlerFor(request), 'POST', request, { body });
    const text = await response.text();
    this.#memory.keep(constant, response, text);
    const contentType = response.headers.get('content-type') ?? '';
    return replyBytes(response.status, contentType, text, keptHeaders(response.headers));
  }

  async #listen(handler: McpHttpHandler, request: McpRequest, body: unknown): Promise<Reply> {
    if (this.#isClosed) throw new GatewayError('not_ready');
    const { streams } = this.#parts;
    const leavePlace = streamPlace(streams, request);
    const listening = new Listening(handler, request.principal, () => {
      leavePlace();
      this.#listening.delete(listening);
    });
    this.#listening.add(listening);
    return await listening.answer(await answerOf(handler, 'POST', request, { body }), request.signal);
  }

  /** A handler of its own for every request, so that nobody hears what is told to another. */
  #handlerFor({ principal }: McpRequest): McpHttpHandler {
    const { contents, onError } = this.#parts;
    return createMcpHandler(
      ({ era }) =>
        mcpServer(contents, {
          owner: principal.credentialId,
          updates: era === 'modern' ? 'listen' : 'none',
          subscriptions: null,
        }),
      { bus: transcriptBus(contents.transcripts, principal), keepAliveMs: KEEP_ALIVE_MS, onerror: onError },
    );
  }
}

/** Ends what the SDK answers to a call, or takes its place before it begins. */
class Withheld {
  readonly #controller = new AbortController();
  readonly #reply = Promise.withResolvers<Reply>();

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Resolves when the answer is withheld, and else never. */
  get reply(): Promise<Reply> {
    return this.#reply.promise;
  }

  withhold(): void {
    this.#reply.resolve(noAnswer());
    this.#controller.abort();
  }
}

interface ForSdk {
  readonly body: unknown;
  readonly withhold?: () => void;
}

function answerOf(
  handler: McpHttpHandler,
  method: HttpVerb,
  request: McpRequest,
  { body, withhold = () => {} }: ForSdk,
): Promise<Response> {
  const parsed = body === undefined ? {} : { parsedBody: body };
  const authInfo = authInfoOf(request, withhold);
  return handler.fetch(webRequest(method, request), { authInfo, ...parsed });
}

function isListen(body: unknown): boolean {
  return isRecord(body) && body.method === 'subscriptions/listen';
}
