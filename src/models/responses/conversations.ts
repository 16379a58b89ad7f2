import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { JsonApi, Paging } from '../http/json-api.ts';
import { optionalField } from '../http/optional-field.ts';
import type { ModelMemory, ModelReply, ModelTurn, TurnFate, TurnObserver } from '../model-client.ts';
import { ModelFault, unlessGone } from '../model-fault.ts';
import { throwIfNoReply } from './response-reader.ts';
import { type InputMessage, maxOutputTokens, message, newMessage, pastMessages } from './response-request.ts';
import { finalText, Item, isFinalMessage, textOf } from './response-schema.ts';
import { respond } from './responses-api.ts';

/** Most items of one request. */
const MAX_ITEMS = 20;
const PAGE_SIZE = 100;

const Conversation = z.object({ id: z.string().min(1) });
const ItemPage = z.object({
  data: z.array(Item),
  has_more: optionalField(z.boolean()),
  last_id: optionalField(z.string()),
});

/** A turn that reads from tools adds several items. */
const PAGING: Paging<z.output<typeof ItemPage>> = {
  next: ({ has_more, last_id: after }) => (has_more && after !== undefined ? { after } : null),
  maxPages: 3,
};

const Memory = z.object({
  conversation: z.string().min(1),
  /** Digest of the instructions that are in the conversation. */
  instructions: z.string().optional(),
});
type Memory = z.output<typeof Memory>;

/**
 * Where the instructions go: along with each request, or as a message into the conversation, for hosted agents, which
 * have instructions of their own.
 */
export type InstructionsPlace = 'request' | 'conversation';

/**
 * Turns whose memory is a conversation of OpenAI's Conversations: the provider appends each turn and its reply once the
 * reply is complete. https://developers.openai.com/api/reference/resources/conversations
 */
export class Conversations {
  readonly #api: JsonApi;
  readonly #place: InstructionsPlace;

  constructor(api: JsonApi, place: InstructionsPlace = 'request') {
    this.#api = api;
    this.#place = place;
  }

  /** The memory of a turn. Without one, a conversation is started, and the observer told. */
  async memoryOf(turn: ModelTurn, observer: TurnObserver): Promise<ModelMemory> {
    if (turn.memory !== null) return turn.memory;
    const memory = await this.start(turn);
    observer.memoryChanged(memory);
    return memory;
  }

  /** Starts a conversation with what was said before. Resolves with its memory. */
  async start({ history, instructions, signal }: ModelTurn): Promise<ModelMemory> {
    const past = pastMessages(history);
    if (this.#place === 'request') return { conversation: await this.#create(past, signal) };
    const told = [message('developer', instructions), ...past];
    return { conversation: await this.#create(told, signal), instructions: digest(instructions) };
  }

  /** Sends a turn. `fields` name the model or what else is to answer. */
  async send(
    fields: object,
    turn: ModelTurn,
    observer: TurnObserver,
    memory: ModelMemory,
  ): Promise<ModelReply> {
    const { conversation, instructions } = readMemory(memory);
    const own = this.#place === 'request' ? requestFields(turn) : {};
    const isTold = this.#place === 'request' || instructions === digest(turn.instructions);
    const input = [...(isTold ? [] : [message('developer', turn.instructions)]), newMessage(turn)];
    const reply = await respond(this.#api, { ...fields, ...own, conversation, input }, turn, observer);
    return { ...reply, memory: isTold ? memory : { ...memory, instructions: digest(turn.instructions) } };
  }

  /**
   * What has become of a turn: its marker is in one of the newest items, or the provider does not have it. A conversation
   * that is gone has no items.
   */
  async fateOf(turn: ModelTurn): Promise<TurnFate> {
    const { memory } = turn;
    const later = memory && (await unlessGone(this.#itemsAfter(readMemory(memory).conversation, turn)));
    return later === null ? { kind: 'absent' } : fate(later, memory);
  }

  /** Deletes a conversation, if it is still there. */
  async forget(memory: ModelMemory, signal: AbortSignal): Promise<void> {
    const { data } = Memory.safeParse(memory);
    if (data) await unlessGone(this.#api.tell({ method: 'DELETE', path: pathOf(data.conversation), signal }));
  }

  /** Resolves with the id of a new conversation that begins with these messages. */
  async #create(messages: readonly InputMessage[], signal: AbortSignal): Promise<string> {
    const items = messages.slice(0, MAX_ITEMS);
    const body = items.length > 0 ? { items } : {};
    const request = { method: 'POST', path: '/conversations', body, signal } as const;
    const { id } = await this.#api.ask(Conversation, request);
    for (let at = MAX_ITEMS; at < messages.length; at += MAX_ITEMS) {
      const more = { items: messages.slice(at, at + MAX_ITEMS) };
      await this.#api.tell({ method: 'POST', path: `${pathOf(id)}/items`, body: more, signal });
    }
    return id;
  }

  /** Resolves with the items after a turn's message, oldest first. Null: it is not there. */
  async #itemsAfter(id: string, { marker, signal }: ModelTurn): Promise<Item[] | null> {
    const later: Item[] = [];
    const request = { path: `${pathOf(id)}/items`, query: { limit: PAGE_SIZE, order: 'desc' }, signal };
    for await (const { data } of this.#api.pages(ItemPage, request, PAGING)) {
      for (const item of data) {
        if (item.role === 'user' && textOf(item).includes(marker)) return later.toReversed();
        later.push(item);
      }
    }
    return null;
  }
}

function fate(items: readonly Item[], memory: ModelMemory | null): TurnFate {
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

function pathOf(id: string): string {
  return `/conversations/${encodeURIComponent(id)}`;
}

/** What a model needs to know in each request, since nothing keeps it. */
export function requestFields(turn: ModelTurn) {
  return { instructions: turn.instructions, max_output_tokens: maxOutputTokens(turn) };
}

export function digest(instructions: string): string {
  return createHash('sha256').update(instructions).digest('hex').slice(0, 32);
}

/** Throws `lost_memory` for a memory of another kind. */
function readMemory(memory: ModelMemory): Memory {
  const { data } = Memory.safeParse(memory);
  if (data) return data;
  throw new ModelFault('lost_memory', { words: 'the conversation is kept in a place that no longer counts' });
}
