import * as z from 'zod';
import { optionalField } from '../http/optional-field.ts';
import type { ModelTurn, TurnFate } from '../model-client.ts';
import { ModelFault } from '../model-fault.ts';
import type { ModelMemory } from '../model-memory.ts';
import { throwIfNoReply } from './response-reader.ts';
import type { InputMessage } from './response-request.ts';
import { Item } from './response-schema.ts';
import { finalText, isFinalMessage, textOf } from './response-text.ts';
import type { ResponsesApi } from './responses-api.ts';

/** Most items of one request. */
const MAX_ITEMS = 20;
const PAGE_SIZE = 100;
/** A turn that reads from tools adds several items. */
const MAX_PAGES = 3;

const Conversation = z.object({ id: z.string().min(1) });
const ItemPage = z.object({
  data: z.array(Item),
  has_more: optionalField(z.boolean()),
  last_id: optionalField(z.string()),
});

/**
 * OpenAI's Conversations: the provider appends each turn and its reply once the reply is complete.
 * https://developers.openai.com/api/reference/resources/conversations
 */
export class Conversations {
  readonly #api: ResponsesApi;

  constructor(api: ResponsesApi) {
    this.#api = api;
  }

  /** Starts a conversation that begins with these messages. Resolves with its id. */
  async start(messages: readonly InputMessage[], signal: AbortSignal): Promise<string> {
    const items = messages.slice(0, MAX_ITEMS);
    const body = items.length > 0 ? { items } : {};
    const created = await this.#api.ask(Conversation, {
      method: 'POST',
      path: '/conversations',
      body,
      signal,
    });
    const path = itemsPath(created.id);
    for (let at = MAX_ITEMS; at < messages.length; at += MAX_ITEMS) {
      const more = { items: messages.slice(at, at + MAX_ITEMS) };
      await this.#api.tell({ method: 'POST', path, body: more, signal });
    }
    return created.id;
  }

  /** Deletes a conversation, if it is still there. */
  async delete(id: string, signal: AbortSignal): Promise<void> {
    try {
      await this.#api.tell({ method: 'DELETE', path: `/conversations/${encodeURIComponent(id)}`, signal });
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }

  /** What has become of a turn: its marker is in one of the newest items, or the provider does not have it. */
  async fateOf(id: string, { marker, signal }: ModelTurn, memory: ModelMemory): Promise<TurnFate> {
    const later: Item[] = [];
    for await (const item of this.#newestItems(id, signal)) {
      if (item.role === 'user' && textOf(item).includes(marker)) return fate(later.toReversed(), memory);
      later.push(item);
    }
    return { kind: 'absent' };
  }

  async *#newestItems(id: string, signal: AbortSignal): AsyncGenerator<Item, void> {
    let after: string | undefined;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const query = { limit: PAGE_SIZE, order: 'desc', ...(after !== undefined && { after }) };
      const found = await this.#page({ method: 'GET', path: itemsPath(id), query, signal });
      yield* found.data;
      after = found.last_id;
      if (!found.has_more || after === undefined) return;
    }
  }

  /** A conversation that is gone has no items. */
  async #page(request: Parameters<ResponsesApi['tell']>[0]): Promise<z.output<typeof ItemPage>> {
    try {
      return await this.#api.ask(ItemPage, request);
    } catch (error) {
      if (isGone(error)) return { data: [] };
      throw error;
    }
  }
}

function fate(items: readonly Item[], memory: ModelMemory): TurnFate {
  const messages = items.filter(isFinalMessage);
  if (messages.length === 0) {
    throwIfNoReply(items);
    return { kind: 'unanswered' };
  }
  const text = finalText(items);
  if (text === '') throwIfNoReply(items);
  const isCut = messages.at(-1)?.status === 'incomplete';
  const usage = { inputTokens: null, outputTokens: null };
  return {
    kind: 'answered',
    reply: { text, finish: isCut ? 'cut_off' : 'complete', memory, usage, replyId: null },
  };
}

function itemsPath(id: string): string {
  return `/conversations/${encodeURIComponent(id)}/items`;
}

function isGone(error: unknown): boolean {
  return error instanceof ModelFault && (error.kind === 'not_found' || error.kind === 'lost_memory');
}
