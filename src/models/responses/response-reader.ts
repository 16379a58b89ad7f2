import * as z from 'zod';
import type { JsonApi } from '../http/json-api.ts';
import type { StreamedEvent } from '../http/model-answer.ts';
import type { ModelReply, TurnObserver } from '../model-client.ts';
import { ModelFault } from '../model-fault.ts';
import { providerWords } from '../provider-words.ts';
import { readResponseError } from './response-faults.ts';
import {
  type ApiError,
  finalText,
  Item,
  isFinalMessage,
  ResponseBody,
  ResponseEvent,
  refusalIn,
  waitIn,
} from './response-schema.ts';

/** A reply but for the memory, which depends on where the conversation is kept. */
export type ResponseReply = Omit<ModelReply, 'memory'>;

/** An answer that is not streamed. */
const WholeResponse = ResponseBody.extend({ output: z.array(Item) });

const FINAL: ReadonlySet<string> = new Set(['completed', 'incomplete', 'failed', 'cancelled']);

/**
 * Reads one response from its events. Copies of the API leave out names and numbers of events, end with `[DONE]`, or
 * never announce the items whose text they send; only a response with a final status ends a reply.
 */
export class ResponseReader {
  readonly #api: JsonApi;
  readonly #observer: Pick<TurnObserver, 'text'>;
  /** Of the request, besides the key. */
  readonly #secret: string;
  /** Items whose text does not count, by id and by place. */
  readonly #hidden = new Set<string | number>();
  #streamed = '';

  constructor(api: JsonApi, observer: Pick<TurnObserver, 'text'>, secret: string) {
    this.#api = api;
    this.#observer = observer;
    this.#secret = secret;
  }

  async read(events: AsyncIterable<StreamedEvent>): Promise<ResponseReply> {
    for await (const { name, data } of events) {
      const event = ResponseEvent.safeParse(data).data;
      if (event === undefined) continue;
      const response = event.response ?? WholeResponse.safeParse(data).data;
      if (response && FINAL.has(response.status ?? '')) return this.#reply(response);
      this.#take(event, event.type ?? name);
    }
    throw new ModelFault('cut', { words: 'the stream ended before the reply did', isDoubtful: true });
  }

  #take(event: ResponseEvent, type: string): void {
    const { item, item_id, output_index, delta, error, code, message } = event;
    if (type === 'response.output_item.added' && item) this.#hide(item, output_index);
    else if (type === 'response.output_text.delta' && delta) {
      const isHidden = this.#hidden.has(item_id ?? '') || this.#hidden.has(output_index ?? -1);
      if (!isHidden) this.#say(delta);
    } else if (type === 'error' || error) throw this.#fault(error ?? { code, message });
  }

  #hide(item: Item, place: number | undefined): void {
    if (isFinalMessage(item)) return;
    if (item.id !== undefined) this.#hidden.add(item.id);
    if (place !== undefined) this.#hidden.add(place);
  }

  #say(part: string): void {
    this.#streamed += part;
    this.#observer.text(part);
  }

  #reply({ id, status, error, incomplete_details, output, usage }: ResponseBody): ResponseReply {
    if (status === 'failed') throw this.#fault(error ?? {});
    if (status === 'cancelled') {
      throw new ModelFault('cut', { words: 'the provider cancelled the reply', isDoubtful: true });
    }
    if (incomplete_details?.reason === 'content_filter') {
      throw new ModelFault('refused', { words: "the provider's content filter stopped the reply" });
    }
    const text = output.some(isFinalMessage) ? finalText(output) : this.#streamed;
    if (text === '') throwIfNoReply(output);
    if (this.#streamed === '' && text !== '') this.#observer.text(text);
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

/** Throws if the output explains why there is no text. */
export function throwIfNoReply(output: readonly Item[]): void {
  const refusal = refusalIn(output);
  if (refusal !== null)
    throw new ModelFault('refused', { words: providerWords(`the model declined: ${refusal}`, []) });
  const wait = waitIn(output);
  if (wait === null) return;
  throw new ModelFault('bad_request', {
    words: `the model waits for somebody to answer its ${wait}: choose tools that need no answer`,
  });
}
