import { lockedConversation, unknownConversation, unknownResponse } from './responses-errors.ts';
import { newId, nowS, type StoredItem } from './stored-items.ts';

export interface StoredConversation {
  readonly id: string;
  readonly createdAt: number;
  readonly metadata: Readonly<Record<string, string>>;
  readonly items: StoredItem[];
  /** A response is being made. */
  isLocked: boolean;
}

/** What a vendor keeps: conversations, and responses with all that led to them. */
export class StoredConversations {
  readonly #conversations = new Map<string, StoredConversation>();
  readonly #responses = new Map<string, readonly StoredItem[]>();

  /** Ids of the conversations that there are. */
  get ids(): string[] {
    return [...this.#conversations.keys()];
  }

  create(items: readonly StoredItem[], metadata: Readonly<Record<string, string>>): StoredConversation {
    const id = newId('conv');
    const conversation = { id, createdAt: nowS(), metadata, items: [...items], isLocked: false };
    this.#conversations.set(id, conversation);
    return conversation;
  }

  conversation(id: string): StoredConversation {
    const conversation = this.#conversations.get(id);
    if (!conversation) throw unknownConversation(id);
    return conversation;
  }

  /** Locks a conversation until `unlock`. */
  lock(id: string): StoredConversation {
    const conversation = this.conversation(id);
    if (conversation.isLocked) throw lockedConversation(id);
    conversation.isLocked = true;
    return conversation;
  }

  delete(id: string): void {
    this.conversation(id);
    this.#conversations.delete(id);
  }

  keepResponse(id: string, context: readonly StoredItem[]): void {
    this.#responses.set(id, context);
  }

  /** The context that a response leaves. */
  contextOf(responseId: string): readonly StoredItem[] {
    const context = this.#responses.get(responseId);
    if (!context) throw unknownResponse(responseId);
    return context;
  }

  /** Everything is gone, as after the end of its time. */
  loseAll(): void {
    this.#conversations.clear();
    this.#responses.clear();
  }
}

/** A conversation as the API shows it. */
export function conversationWire({ id, createdAt, metadata }: StoredConversation) {
  return { id, object: 'conversation', created_at: createdAt, metadata };
}
