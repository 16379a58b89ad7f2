import * as z from 'zod';
import type { JsonApi } from '../http/json-api.ts';
import type { StreamedEvent } from '../http/model-answer.ts';
import { optionalField } from '../http/optional-field.ts';
import type { ModelReply, TurnObserver } from '../model-client.ts';
import { ModelFault, unusable } from '../model-fault.ts';
import { Content, textOf } from './entry.ts';
import { errorOf } from './mistral-api.ts';

/** Any event of a streamed reply: the fields that the gateway reads. */
const ReplyEvent = z.object({
  type: optionalField(z.string()),
  conversation_id: optionalField(z.string()),
  id: optionalField(z.string()),
  content: optionalField(Content),
  usage: optionalField(
    z.object({ prompt_tokens: optionalField(z.number()), completion_tokens: optionalField(z.number()) }),
  ),
  message: optionalField(z.string()),
  code: optionalField(z.number()),
});
type ReplyEvent = z.output<typeof ReplyEvent>;

const BETWEEN_MESSAGES = '\n';

export interface ReplyStreamOptions {
  readonly api: JsonApi;
  readonly maxOutputTokens: number;
  readonly observer: Pick<TurnObserver, 'text'>;
  /** Is told where the conversation is kept: the id may change with each turn. */
  readonly started: (conversation: string) => void;
}

/** The reply to one turn, as it comes. */
export class ReplyStream {
  readonly #options: ReplyStreamOptions;
  #text = '';
  #messageId: string | null = null;

  constructor(options: ReplyStreamOptions) {
    this.#options = options;
  }

  /** Resolves with the reply once it is complete. Rejects with a ModelFault. */
  async read(events: AsyncIterable<StreamedEvent>): Promise<Omit<ModelReply, 'memory'>> {
    for await (const { name, data } of events) {
      const event = ReplyEvent.safeParse(data).data;
      const done = event && this.#take(event, event.type ?? name);
      if (done) return done;
    }
    throw new ModelFault('cut', {
      words: 'the stream ended before the reply was complete',
      isDoubtful: true,
    });
  }

  #take(event: ReplyEvent, type: string): Omit<ModelReply, 'memory'> | null {
    switch (type) {
      case 'conversation.response.started':
        if (event.conversation_id) this.#options.started(event.conversation_id);
        return null;
      case 'message.output.delta':
        this.#add(event.id ?? null, textOf(event.content));
        return null;
      case 'function.call.delta':
        throw functionCalled();
      case 'conversation.response.error':
        throw this.#failure(event);
      case 'conversation.response.done':
        return this.#reply(event.usage);
      default:
        return null;
    }
  }

  #add(id: string | null, part: string): void {
    if (part === '') return;
    const isNext = this.#text !== '' && id !== this.#messageId;
    this.#messageId = id;
    const added = isNext ? BETWEEN_MESSAGES + part : part;
    this.#text += added;
    this.#options.observer.text(added);
  }

  /** The code is an HTTP status, or another number. */
  #failure({ message = '', code = 0 }: ReplyEvent): ModelFault {
    return this.#options.api.brokenStream(errorOf(message, '', code >= 400 ? code : undefined));
  }

  #reply(usage: ReplyEvent['usage']): Omit<ModelReply, 'memory'> {
    const inputTokens = usage?.prompt_tokens ?? null;
    const outputTokens = usage?.completion_tokens ?? null;
    // Mistral does not say why a reply has ended.
    const isCutOff = (outputTokens ?? 0) >= this.#options.maxOutputTokens;
    const finish = isCutOff ? 'cut_off' : 'complete';
    return { text: this.#text, finish, usage: { inputTokens, outputTokens }, replyId: this.#messageId };
  }
}

/** An agent with functions, or with tools that must be confirmed, waits for somebody who is not here. */
export function functionCalled(): ModelFault {
  return unusable('the agent calls a function, which the gateway cannot carry out');
}
