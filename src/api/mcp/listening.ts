import type { McpHttpHandler } from '@modelcontextprotocol/server';
import type { Principal } from '../auth/principal.ts';
import type { Reply } from '../http/reply.ts';
import { replyOf } from './web-exchange.ts';

/** A stream on which a client of 2026 hears of changes (`subscriptions/listen`). */
export class Listening {
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

  /** Whether it may go on once its credential acts for these agents alone. */
  isFor(agentIds: readonly string[]): boolean {
    return isWithin(this.#principal, agentIds);
  }

  /** Says goodbye to the client. */
  end(): void {
    void this.#handler.close();
  }

  /** The SDK's answer, which may also be a refusal. */
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

/** Whether a principal acts for none but these agents, and for one at least. */
export function isWithin(principal: Principal, agentIds: readonly string[]): boolean {
  return agentIds.length > 0 && principal.agentIds.every((agentId) => agentIds.includes(agentId));
}
