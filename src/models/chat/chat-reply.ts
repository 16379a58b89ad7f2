import type { StreamedEvent } from '../http/model-answer.ts';
import type { ModelReply, ModelUsage, TurnObserver } from '../model-client.ts';
import { isFault, ModelFault, unusable } from '../model-fault.ts';
import { providerWords } from '../provider-words.ts';
import type { ApiError } from '../responses/response-schema.ts';
import { Completion, calledIn, type Written, writtenText } from './chat-schema.ts';

export type ChatReply = Omit<ModelReply, 'memory'>;

const DONE = '[DONE]';

/** Reads one completion from its chunks, or from the one answer of a server that does not stream. */
export class ChatReader {
  readonly #observer: Pick<TurnObserver, 'text'>;
  readonly #faultOf: (error: ApiError) => ModelFault;
  #id: string | null = null;
  #text = '';
  #refusal = '';
  #called: string | null = null;
  #finish: string | null = null;
  #usage: ModelUsage = { inputTokens: null, outputTokens: null };

  constructor(observer: Pick<TurnObserver, 'text'>, faultOf: (error: ApiError) => ModelFault) {
    this.#observer = observer;
    this.#faultOf = faultOf;
  }

  /** Rejects with a ModelFault. */
  async read(events: AsyncIterable<StreamedEvent>): Promise<ChatReply> {
    try {
      for await (const { data } of events) {
        if (data === DONE) {
          // Some servers give no reason for the end.
          if (this.#text !== '') this.#finish ??= 'stop';
          // Why there is nothing may follow.
          if (this.#finish !== null) break;
        }
        this.#take(Completion.safeParse(data).data);
      }
    } catch (error) {
      // Only the usage may be missing.
      if (!isFault(error, 'cut') || this.#finish === null) throw error;
    }
    return this.#reply();
  }

  #take(completion: Completion | undefined): void {
    if (completion === undefined) return;
    const { id, choices, usage, error } = completion;
    if (error) throw this.#faultOf(error);
    this.#id ??= id || null;
    if (usage) {
      // Some gateways never say why a reply has ended. What a whole reply took comes after it, in a chunk without choices.
      if (choices.length === 0 && this.#text !== '') this.#finish ??= 'stop';
      const { prompt_tokens, completion_tokens } = usage;
      this.#usage = { inputTokens: prompt_tokens ?? null, outputTokens: completion_tokens ?? null };
    }
    const choice = choices.find(({ index = 0 }) => index === 0);
    if (choice?.delta) this.#write(choice.delta);
    if (choice?.message) this.#close(choice.message);
    if (choice?.finish_reason) this.#finish = choice.finish_reason;
  }

  #write(written: Written): void {
    this.#called ??= calledIn(written);
    this.#refusal += written.refusal ?? '';
    const text = writtenText(written);
    if (text === '') return;
    this.#text += text;
    this.#observer.text(text);
  }

  /** A whole message, which some servers send after its parts. */
  #close(message: Written): void {
    if (this.#text === '') this.#write(message);
    else this.#called ??= calledIn(message);
  }

  #reply(): ChatReply {
    if (this.#finish === null)
      throw new ModelFault('cut', { words: 'the stream ended before the reply did', isDoubtful: true });
    if (this.#called !== null) throw waiting(this.#called);
    if (this.#text === '' && this.#refusal !== '')
      throw new ModelFault('refused', { words: providerWords(`the model declined: ${this.#refusal}`, []) });
    return { text: this.#text, finish: finishOf(this.#finish), usage: this.#usage, replyId: this.#id };
  }
}

function waiting(name: string): ModelFault {
  const call = name === '' ? 'its function call' : `its call of ${name}`;
  const words = `the model waits for somebody to answer ${call}: choose a model or settings without functions`;
  return unusable(providerWords(words, []));
}

/** What OpenAI, vLLM, DeepSeek and OpenRouter say about the end of a reply. */
function finishOf(reason: string): ModelReply['finish'] {
  switch (reason) {
    case 'length':
    case 'max_tokens':
      return 'cut_off';
    case 'content_filter':
      throw new ModelFault('refused', { words: "the provider's content filter stopped the reply" });
    case 'tool_calls':
    case 'function_call':
      throw waiting('');
    case 'insufficient_system_resource':
      throw new ModelFault('overloaded', { words: 'the provider ran out of resources' });
    case 'abort':
    case 'error':
      throw new ModelFault('cut', { words: 'the provider broke off the reply', isDoubtful: true });
    default:
      return 'complete';
  }
}
