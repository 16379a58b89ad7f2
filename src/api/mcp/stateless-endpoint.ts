import { createMcpHandler, type McpHttpHandler, type ServerEventBus } from '@modelcontextprotocol/server';
import { GatewayError } from '../../base/errors.ts';
import { isRecord } from '../../base/json.ts';
import type { Principal } from '../auth/principal.ts';
import type { Reply } from '../http/answer/reply.ts';
import { acceptedBy, inAcceptedForm } from './accept.ts';
import { authInfoOf, type Transcripts } from './mcp-contents.ts';
import type { McpCounts, McpRequest } from './mcp-request.ts';
import { cancelledId, KEEP_ALIVE_MS, noAnswer, notAcceptable } from './rpc-message.ts';
import { mcpServer } from './sdk/mcp-server.ts';
import { type HttpVerb, replyOf, webRequest } from './sdk/web-exchange.ts';
import type { SessionDeps } from './sessions/session.ts';
import { isWithin, streamPlace } from './stream-places.ts';

type StatelessDeps = Pick<SessionDeps, 'contents' | 'fastPath' | 'streams' | 'onError'> & {
  readonly counts: McpCounts;
};

/** A stream of change notifications in the 2026 protocol (`subscriptions/listen`). */
interface Listening {
  readonly principal: Principal;
  readonly handler: McpHttpHandler;
}

/** Answers requests outside sessions, in both versions of the protocol. */
export class StatelessEndpoint {
  readonly #deps: StatelessDeps;
  readonly #listening = new Set<Listening>();
  #isClosed = false;

  constructor(deps: StatelessDeps) {
    this.#deps = deps;
  }

  /** `body`: the parsed JSON; undefined if it is invalid. */
  post(request: McpRequest, body: unknown): Reply | Promise<Reply> {
    if (isListen(body) && !acceptedBy(request).events) return notAcceptable();
    return inAcceptedForm(request, body, this.#answer(request, body));
  }

  #answer(request: McpRequest, body: unknown): Reply | Promise<Reply> {
    const { contents, counts, fastPath } = this.#deps;
    const fast = fastPath?.answer(request, body, () => {
      counts.sdk += 1;
      return answerOf(this.#handlerFor(request), 'POST', request, { body });
    });
    if (fast) return fast;
    const cancelled = cancelledId(body);
    if (cancelled !== null) contents.cancellations.cancel(request.principal.credentialId, cancelled);
    return this.bySdk('POST', request, body);
  }

  /** Answers any request with the SDK. */
  async bySdk(method: HttpVerb, request: McpRequest, body?: unknown): Promise<Reply> {
    this.#deps.counts.sdk += 1;
    const handler = this.#handlerFor(request);
    if (isListen(body)) return await this.#listen(handler, request, body);
    const withheld = new Withheld();
    // A batch is never withheld, because its other answers must be sent.
    const withhold = isRecord(body) ? () => withheld.withhold() : () => {};
    const answer = answerOf(handler, method, request, { body, withhold });
    const signal = AbortSignal.any([request.signal, withheld.signal]);
    return await Promise.race([withheld.reply, answer.then((response) => replyOf(response, signal))]);
  }

  /** A credential now acts for these agents; ends its streams that were opened for any other. */
  follow(credentialId: string, agentIds: readonly string[]): void {
    for (const { principal, handler } of [...this.#listening])
      if (principal.credentialId === credentialId && !isWithin(principal, agentIds)) void handler.close();
  }

  /** Credentials with an open stream. */
  listeners(): string[] {
    return Array.from(this.#listening, ({ principal }) => principal.credentialId);
  }

  /** Ends all streams and refuses new ones; safe to call twice. */
  close(): void {
    this.#isClosed = true;
    for (const { handler } of [...this.#listening]) void handler.close();
  }

  async #listen(handler: McpHttpHandler, request: McpRequest, body: unknown): Promise<Reply> {
    if (this.#isClosed) throw new GatewayError('not_ready');
    const { streams } = this.#deps;
    const leavePlace = streamPlace(streams, request);
    const listening = { principal: request.principal, handler };
    this.#listening.add(listening);
    const leave = (): void => {
      leavePlace();
      this.#listening.delete(listening);
    };
    const reply = await replyOf(await answerOf(handler, 'POST', request, { body }), request.signal);
    if (reply.kind === 'stream') return { ...reply, body: thenDo(reply.body, leave) };
    leave();
    return reply;
  }

  /** One handler per request, so that its updates reach only its own client. */
  #handlerFor({ principal }: McpRequest): McpHttpHandler {
    const { contents, onError } = this.#deps;
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

/** Yields all pieces, and then, or when nobody reads on, does one thing more. */
async function* thenDo<Piece>(pieces: AsyncIterable<Piece>, action: () => void): AsyncGenerator<Piece> {
  try {
    yield* pieces;
  } finally {
    action();
  }
}

/** Withholds the SDK's answer to a cancelled call: aborts it, or replaces it if it has not started. */
class Withheld {
  readonly #controller = new AbortController();
  readonly #reply = Promise.withResolvers<Reply>();

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Resolves when the answer is withheld; otherwise never. */
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
  return handler.fetch(webRequest(method, request, body !== undefined), { authInfo, ...parsed });
}

/** A stream is asked for, which has no end. */
function isListen(body: unknown): boolean {
  return isRecord(body) && body.method === 'subscriptions/listen';
}

/** Changes of the transcripts that a principal may read. */
function transcriptBus(transcripts: Transcripts, principal: Principal): ServerEventBus {
  return {
    publish() {},
    subscribe(listener) {
      const unwatch = transcripts.watch(principal, (uri) => listener({ kind: 'resource_updated', uri }));
      const unwatchList = transcripts.watchList(principal, () =>
        listener({ kind: 'resources_list_changed' }),
      );
      return () => {
        unwatch();
        unwatchList();
      };
    },
  };
}
