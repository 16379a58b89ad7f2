import { z } from 'zod';
import { parseForeignJson } from '../../base/json.ts';
import type { ModelAnswer } from '../http/model-answer.ts';
import { optionalField } from '../http/optional-field.ts';
import type { ModelReply, ModelUsage, TurnObserver } from '../model-client.ts';
import { isFault, ModelFault, unusable } from '../model-fault.ts';
import { type AwsException, wordsIn } from './bedrock-api.ts';
import { EventStreamDecoder, type EventStreamMessage } from './event-stream.ts';

/** Reasoning and tools have deltas of their own, which have no `text`. */
const Delta = z.object({ delta: z.object({ text: optionalField(z.string()) }) });
const Stop = z.object({ stopReason: z.string() });
const Metadata = z.object({
  usage: z.object({ inputTokens: optionalField(z.number()), outputTokens: optionalField(z.number()) }),
});

/** Returns what an exception within the stream means. */
type FaultOf = (exception: AwsException) => ModelFault;

/** Reads the stream of one reply to its end, so that its connection can be used again. Rejects with a ModelFault. */
export async function readConverse(
  answer: ModelAnswer,
  observer: TurnObserver,
  faultOf: FaultOf,
): Promise<ModelReply> {
  const reader = new ReplyReader(observer, faultOf);
  try {
    for await (const message of messagesOf(answer)) reader.take(message);
  } catch (error) {
    if (!isFault(error, 'cut') || !reader.hasEnded) throw error;
  }
  return reader.reply();
}

/** Collects a reply from the events of its stream. */
class ReplyReader {
  readonly #observer: TurnObserver;
  readonly #faultOf: FaultOf;
  #text = '';
  #stopReason: string | null = null;
  #usage: ModelUsage = { inputTokens: null, outputTokens: null };

  constructor(observer: TurnObserver, faultOf: FaultOf) {
    this.#observer = observer;
    this.#faultOf = faultOf;
  }

  /** Nothing of the text is missing. The usage may follow. */
  get hasEnded(): boolean {
    return this.#stopReason !== null;
  }

  /** Throws the fault that a message reports. */
  take({ headers, payload }: EventStreamMessage): void {
    const json = jsonOf(payload);
    if (headers.get(':message-type') !== 'event') throw this.#fault(headers, json);
    switch (headers.get(':event-type') ?? '') {
      case 'contentBlockDelta':
        this.#add(Delta.safeParse(json).data?.delta.text);
        break;
      case 'messageStop':
        this.#stopReason = Stop.safeParse(json).data?.stopReason ?? 'end_turn';
        break;
      case 'metadata':
        this.#usage = usageOf(json);
        break;
      default:
    }
  }

  reply(): ModelReply {
    if (this.#stopReason === null)
      throw new ModelFault('cut', { words: 'the answer ended before it was complete', isDoubtful: true });
    const finish = finishOf(this.#stopReason);
    return { text: this.#text, finish, memory: null, usage: this.#usage, replyId: null };
  }

  #add(part: string | undefined): void {
    if (!part) return;
    this.#text += part;
    this.#observer.text(part);
  }

  /** `exception` is one that the API describes, with a body; `error` any other, with two headers. */
  #fault(headers: ReadonlyMap<string, string>, json: unknown): ModelFault {
    const name = headers.get(':exception-type') ?? headers.get(':error-code') ?? '';
    const message = wordsIn(json) ?? headers.get(':error-message') ?? '';
    return this.#faultOf({ name, message: message || `Bedrock answered ${name || 'an error'}` });
  }
}

async function* messagesOf(answer: ModelAnswer): AsyncGenerator<EventStreamMessage, void> {
  const decoder = new EventStreamDecoder();
  for await (const piece of answer.pieces()) yield* decoded(decoder, piece);
}

function decoded(decoder: EventStreamDecoder, piece: Buffer): readonly EventStreamMessage[] {
  try {
    return decoder.push(piece);
  } catch (cause) {
    throw new ModelFault('cut', { words: 'the stream cannot be read', isDoubtful: true }, { cause });
  }
}

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_MessageStopEvent.html */
function finishOf(stopReason: string): ModelReply['finish'] {
  switch (stopReason) {
    case 'max_tokens':
      return 'cut_off';
    case 'guardrail_intervened':
      throw new ModelFault('refused', { words: 'a guardrail of Bedrock intervened' });
    case 'content_filtered':
      throw new ModelFault('refused', { words: 'the content filter of Bedrock stopped the reply' });
    case 'model_context_window_exceeded':
      throw new ModelFault('too_long', { words: 'the conversation is longer than the model takes' });
    case 'malformed_model_output':
    case 'malformed_tool_use':
      throw new ModelFault('cut', { words: `the model wrote a reply that cannot be read (${stopReason})` });
    case 'tool_use':
      throw unusable(
        'the model waits for somebody to answer its tool_use: choose a model that needs no tools',
      );
    default:
      return 'complete';
  }
}

function usageOf(json: unknown): ModelUsage {
  const usage = Metadata.safeParse(json).data?.usage;
  return { inputTokens: usage?.inputTokens ?? null, outputTokens: usage?.outputTokens ?? null };
}

function jsonOf(payload: Buffer): unknown {
  try {
    return parseForeignJson(payload.toString());
  } catch {
    return null;
  }
}
