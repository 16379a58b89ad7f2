import * as z from 'zod';
import type { JsonApi } from '../http/json-api.ts';
import type { StreamedEvent } from '../http/model-answer.ts';
import type { ModelReply, TurnObserver } from '../model-client.ts';
import { ModelFault, unusable } from '../model-fault.ts';
import { providerWords } from '../provider-words.ts';
import { HiddenItems } from './hidden-items.ts';
import { readResponseError } from './response-faults.ts';
import {
  type ApiError,
  finalText,
  Item,
  isFinalMessage,
  ResponseBody,
  ResponseEvent,
  refusalIn,
  textOf,
  waitIn,
} from './response-schema.ts';
import { StreamedText } from './streamed-text.ts';

/** A reply but for the memory, which depends on where the conversation is kept. */
export type ResponseReply = Omit<ModelReply, 'memory'>;

/** An answer that is not streamed. */
const WholeResponse = ResponseBody.extend({ output: z.array(Item) });

const FINAL: ReadonlySet<string> = new Set(['completed', 'incomplete', 'failed', 'cancelled']);

/** What the event that ends a stream says where its response does not. */
const STATUS_OF_END: ReadonlyMap<string, string> = new Map([
  ['response.completed', 'completed'],
  ['response.done', 'completed'],
  ['response.incomplete', 'incomplete'],
  ['response.failed', 'failed'],
  ['response.cancelled', 'cancelled'],
]);

/**
 * Reads one response from its events. Copies of the API leave out names and numbers of events, end with `[DONE]`, never
 * announce the items whose text they send, give all items one id or place, or send a text only as a whole; only a final
 * status ends a reply.
 */
export class ResponseReader {
  readonly #api: JsonApi;
  /** Of the request, besides the key. */
  readonly #secret: string;
  readonly #hidden = new HiddenItems();
  readonly #text: StreamedText;
  readonly #announced: Item[] = [];
  readonly #ended: Item[] = [];
  #refusal = '';

  constructor(api: JsonApi, observer: Pick<TurnObserver, 'text'>, secret: string) {
    this.#api = api;
    this.#secret = secret;
    this.#text = new StreamedText((part) => observer.text(part));
  }

  async read(events: AsyncIterable<StreamedEvent>): Promise<ResponseReply> {
    for await (const { name, data } of events) {
      const event = ResponseEvent.safeParse(data).data;
      if (event === undefined) continue;
      const type = event.type ?? name;
      const response = finalResponse(event.response ?? WholeResponse.safeParse(data).data, type);
      if (response) return this.#reply(response);
      this.#take(event, type);
    }
    throw new ModelFault('cut', { words: 'the stream ended before the reply did', isDoubtful: true });
  }

  #take(event: ResponseEvent, type: string): void {
    const { item, content_index, delta, text, part, refusal, error, code, message } = event;
    switch (type) {
      case 'response.output_item.added':
        if (item) this.#begin(item, event);
        break;
      case 'response.content_part.added':
        if (!this.#hidden.hasPart(event)) this.#text.beginPart(content_index);
        break;
      case 'response.output_text.delta':
        if (delta && !this.#hidden.hasDelta(event)) this.#text.delta(delta, content_index);
        break;
      case 'response.output_text.done':
        if (text && !this.#hidden.hasPart(event)) this.#text.endPart(text, content_index);
        break;
      case 'response.content_part.done':
        if (part?.refusal) this.#refusal = part.refusal;
        if (part?.type === 'output_text' && part.text && !this.#hidden.hasPart(event))
          this.#text.endPart(part.text, content_index);
        break;
      case 'response.refusal.done':
        this.#refusal = refusal ?? this.#refusal;
        break;
      case 'response.output_item.done':
        if (item) this.#end(item, event);
        break;
      default:
        if (type === 'error' || error) throw this.#fault(error ?? { code, message });
    }
  }

  #begin(item: Item, event: ResponseEvent): void {
    this.#announced.push(item);
    if (!isFinalMessage(item)) return this.#hidden.add(item, event);
    this.#hidden.delete(item, event);
    this.#text.beginItem();
  }

  /** What follows under the same id or place is another item, which was not announced. */
  #end(item: Item, event: ResponseEvent): void {
    this.#ended.push(item);
    this.#hidden.delete(item, event);
    if (isFinalMessage(item)) this.#text.endItem(textOf(item));
  }

  #reply({ id, status, error, incomplete_details, output, usage }: ResponseBody): ResponseReply {
    if (status === 'failed') throw this.#fault(error ?? {});
    if (status === 'cancelled') {
      throw new ModelFault('cut', { words: 'the provider cancelled the reply', isDoubtful: true });
    }
    if (incomplete_details?.reason === 'content_filter') {
      throw new ModelFault('refused', { words: "the provider's content filter stopped the reply" });
    }
    const items = [output, this.#ended].find(({ length }) => length > 0) ?? this.#announced;
    const text = finalText(output) || this.#text.whole;
    if (status === 'completed') throwIfWaiting(items, text === '');
    if (text === '') throwIfRefused(refusalIn(items) ?? (this.#refusal || null));
    this.#text.end(text);
    return {
      text,
      finish: status === 'incomplete' ? 'cut_off' : 'complete',
      usage: { inputTokens: usage?.input_tokens ?? null, outputTokens: usage?.output_tokens ?? null },
      replyId: id ?? null,
    };
  }

  /** Only a failure of the provider leaves open what it keeps of the turn. */
  #fault(error: ApiError): ModelFault {
    const fault = this.#api.brokenStream(readResponseError(error), this.#secret);
    if (fault.kind === 'overloaded') return fault;
    return new ModelFault(fault.kind, { words: fault.message });
  }
}

/** The response with which a stream ends, if this event has it; null: it goes on. */
function finalResponse(response: ResponseBody | undefined, type: string): ResponseBody | null {
  const status = FINAL.has(response?.status ?? '') ? response?.status : STATUS_OF_END.get(type);
  return status === undefined ? null : { output: [], ...response, status };
}

/** Throws if the output explains why there is no text. */
export function throwIfNoReply(output: readonly Item[]): void {
  throwIfRefused(refusalIn(output));
  throwIfWaiting(output, true);
}

function throwIfRefused(refusal: string | null): void {
  if (refusal === null) return;
  throw new ModelFault('refused', { words: providerWords(`the model declined: ${refusal}`, []) });
}

/** Nobody is here to carry a call out, and the provider takes no further turn until somebody has. */
function throwIfWaiting(output: readonly Item[], isSilent: boolean): void {
  const wait = waitIn(output, isSilent);
  if (wait === null) return;
  const words = `the model waits for somebody to answer its ${wait}: choose tools that need no answer`;
  throw unusable(providerWords(words, []));
}
