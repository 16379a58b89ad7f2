import type { ModelClient } from '../../models/model-client.ts';
import type { ModelMemory } from '../../models/model-memory.ts';
import { type ModelConversation, setMemory } from '../../store/inline/model-conversations.ts';
import type { InlineDomain } from '../inline-domain.ts';

/**
 * Where the provider keeps the conversation of a turn. Each change is stored at once. A conversation that nobody knows
 * any more, since it was reset or its provider changed during the turn, is deleted at the provider.
 */
export class TurnMemory {
  readonly #domain: InlineDomain;
  readonly #client: ModelClient;
  readonly #conversation: ModelConversation;
  #current: ModelMemory | null;
  #stored: Promise<void> = Promise.resolve();

  constructor(domain: InlineDomain, client: ModelClient, conversation: ModelConversation) {
    this.#domain = domain;
    this.#client = client;
    this.#conversation = conversation;
    this.#current = conversation.memory;
  }

  get current(): ModelMemory | null {
    return this.#current;
  }

  remember(memory: ModelMemory | null): void {
    this.#current = memory;
    this.#stored = this.#stored.then(() => this.#store(memory));
  }

  /** The next turn starts a new conversation at the provider; the former one is not used again. */
  abandon(): void {
    if (this.#current !== null) this.#domain.forgetting.add(this.#client, this.#current);
    this.remember(null);
  }

  /** Resolves when all changes are stored. Rejects when one could not be. */
  async stored(): Promise<void> {
    await this.#stored;
  }

  async #store(memory: ModelMemory | null): Promise<void> {
    const { store, clock, forgetting } = this.#domain;
    const isKnown = await setMemory(store.db, this.#conversation, memory, clock.nowIso());
    if (!isKnown && memory !== null) forgetting.add(this.#client, memory);
  }
}
