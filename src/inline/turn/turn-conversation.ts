import type { ModelMemory } from '../../models/model-client.ts';
import type { StoredProvider } from '../../store/agents/agent-providers.ts';
import { type ModelConversation, setMemory } from '../../store/inline/model-conversations.ts';
import type { InlineDomain } from '../inline-domain.ts';

/**
 * Where the provider keeps the conversation of a turn. Each change is stored at once. A conversation that nobody knows
 * any more, since it was reset or its provider changed during the turn, is deleted at the provider.
 */
export class TurnConversation {
  readonly #domain: InlineDomain;
  readonly #provider: StoredProvider;
  readonly #conversation: ModelConversation;
  #current: ModelMemory | null;
  #isKnown = true;
  #stored: Promise<void> = Promise.resolve();

  constructor(domain: InlineDomain, provider: StoredProvider, conversation: ModelConversation) {
    this.#domain = domain;
    this.#provider = provider;
    this.#conversation = conversation;
    this.#current = conversation.memory;
  }

  get current(): ModelMemory | null {
    return this.#current;
  }

  keep(memory: ModelMemory): void {
    this.#change(memory, null);
  }

  /** The next turn starts a new conversation at the provider; the former one is not used again. */
  abandon(): void {
    this.#change(null, this.#current);
  }

  /** Whether the conversation is still there, as of the last change: it may have been reset. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** Resolves when all changes are stored. Rejects when one could not be. */
  async stored(): Promise<void> {
    await this.#stored;
  }

  #change(memory: ModelMemory | null, left: ModelMemory | null): void {
    this.#current = memory;
    this.#stored = this.#stored.then(() => this.#store(memory, left));
  }

  async #store(memory: ModelMemory | null, left: ModelMemory | null): Promise<void> {
    const { store, clock, forgetting } = this.#domain;
    await store.db.transaction().execute(async (trx) => {
      this.#isKnown = await setMemory(trx, this.#conversation, memory, clock.nowIso());
      for (const kept of [left, this.#isKnown ? null : memory])
        if (kept !== null) await forgetting.add(trx, this.#provider, { memory: kept });
    });
    forgetting.wake();
  }
}
