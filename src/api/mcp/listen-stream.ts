import type { McpHttpHandler } from '@modelcontextprotocol/server';
import { Places } from '../../base/places.ts';
import type { Principal } from '../auth/principal.ts';
import type { Reply } from '../http/answer/reply.ts';
import type { McpRequest } from './mcp-request.ts';
import { replyOf } from './sdk/web-exchange.ts';

/** A stream of change notifications in the 2026 protocol (`subscriptions/listen`). */
export class ListenStream {
  readonly #handler: McpHttpHandler;
  readonly #principal: Principal;
  readonly #onOver: () => void;

  /** `onOver` is called once the stream has ended. */
  constructor(handler: McpHttpHandler, principal: Principal, onOver: () => void) {
    this.#handler = handler;
    this.#principal = principal;
    this.#onOver = onOver;
  }

  get credentialId(): string {
    return this.#principal.credentialId;
  }

  /** Whether it may continue now that its credential acts for these agents. */
  isFor(agentIds: readonly string[]): boolean {
    return isWithin(this.#principal, agentIds);
  }

  /** Ends the stream as the protocol asks. */
  end(): void {
    void this.#handler.close();
  }

  /** Sends the SDK's response: the stream, or an error. */
  async answer(response: Response, signal: AbortSignal): Promise<Reply> {
    const reply = await replyOf(response, signal);
    if (reply.kind === 'stream') return { ...reply, body: this.#untilOver(reply.body) };
    this.#onOver();
    return reply;
  }

  async *#untilOver<Piece>(pieces: AsyncIterable<Piece>): AsyncGenerator<Piece> {
    try {
      yield* pieces;
    } finally {
      this.#onOver();
    }
  }
}

/** Whether all agents of a principal are among these. */
export function isWithin(principal: Principal, agentIds: readonly string[]): boolean {
  return agentIds.length > 0 && principal.agentIds.every((agentId) => agentIds.includes(agentId));
}

/** Open streams: pushes, `subscriptions/listen`, and answers in sessions. */
const LIMITS = { perKey: 500, perAccount: 1_000, total: 10_000 };

export function streamPlaces(onRefused: () => void): Places {
  return new Places({ code: 'too_many_streams', what: 'MCP streams may be open', ...LIMITS, onRefused });
}

/** Reserves a stream for a request, until it is released or the client disconnects. */
export function streamPlace(places: Places, { principal, signal }: McpRequest): () => void {
  places.assertRoom(principal);
  const leavePlace = places.take(principal);
  const leave = (): void => {
    signal.removeEventListener('abort', leave);
    leavePlace();
  };
  if (signal.aborted) leave();
  else signal.addEventListener('abort', leave);
  return leave;
}
