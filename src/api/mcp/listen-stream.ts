import type { McpHttpHandler } from '@modelcontextprotocol/server';
import type { Principal } from '../auth/principal.ts';
import type { Reply } from '../http/answer/reply.ts';
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
