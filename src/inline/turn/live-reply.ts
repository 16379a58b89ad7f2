import type { LiveText } from '../../messaging/live/live-text.ts';
import type { StoredProvider } from '../../store/agents/agent-providers.ts';
import { findConversation } from '../../store/messages/conversations.ts';
import type { ActionContext } from '../actions/action-context.ts';
import { WrittenText } from '../reply/written-text.ts';

/**
 * Shows the first message of a reply while the model writes it. Whatever comes of the reply, the whole message takes the
 * place of what is shown, or that is taken away. It is no part of the outcome: a reply that nobody sees in progress is sent
 * all the same.
 */
export class LiveReply {
  readonly #message: LiveText;
  readonly #written = new WrittenText();

  private constructor(message: LiveText) {
    this.#message = message;
  }

  /** Null: nothing of the reply is shown before it is whole. */
  static async begin(
    { domain, scope, place, turnId }: ActionContext,
    { liveReplies }: StoredProvider,
  ): Promise<LiveReply | null> {
    if (!liveReplies || place.kind !== 'conversation') return null;
    const conversation = await findConversation(domain.store.db, scope, place.conversationId);
    if (conversation?.status !== 'active') return null;
    const message = await domain.outbound.live.begin(conversation, turnId);
    return message && new LiveReply(message);
  }

  /** The model is asked, perhaps again: what it wrote before does not count. */
  restart(): void {
    this.#written.restart();
  }

  push(part: string): void {
    this.#written.push(part);
    this.#message.write(this.#written.text);
  }

  /** Resolves when no request is under way. */
  async end(): Promise<void> {
    await this.#message.end();
  }
}
