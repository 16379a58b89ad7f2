import { z } from 'zod';
import { unreachable } from '../../base/assert.ts';
import type { ProviderError } from '../http/json-api.ts';
import type { StreamedEvent } from '../http/model-answer.ts';
import { optionalField } from '../http/optional-field.ts';
import type { ModelReply, ModelUsage, TurnObserver } from '../model-client.ts';
import { ModelFault, unusable } from '../model-fault.ts';
import { errorOf, errorOfEvent } from './gemini-faults.ts';

const Content = z.object({ type: z.string(), text: optionalField(z.string()) });

const StepStart = z.object({
  event_type: z.literal('step.start'),
  step: z.object({ type: z.string(), content: optionalField(z.array(Content)) }),
});
const StepDelta = z.object({ event_type: z.literal('step.delta'), delta: Content });
const Completed = z.object({
  event_type: z.literal('interaction.completed'),
  interaction: z.object({
    id: z.string().min(1),
    status: z.string(),
    errors: optionalField(
      z.array(z.object({ code: optionalField(z.string()), message: optionalField(z.string()) })),
    ),
    usage: optionalField(
      z.object({
        total_input_tokens: optionalField(z.number()),
        total_output_tokens: optionalField(z.number()),
        total_thought_tokens: optionalField(z.number()),
      }),
    ),
  }),
});
type Interaction = z.infer<typeof Completed>['interaction'];

/** Events with other types, and deltas of other steps, say nothing that counts. */
const Event = z.discriminatedUnion('event_type', [StepStart, StepDelta, Completed]);

/** What an error of the reply means. `hasMemory`: the request names an earlier interaction. */
export interface ReplyFaults {
  readonly hasMemory: boolean;
  readonly faultOf: (error: ProviderError) => ModelFault;
}

/**
 * Reads the events of one interaction to their end, so that its connection can be used again. What the model writes before it
 * reads from the gateway is part of the reply, since it may have been spoken meanwhile. Rejects with a ModelFault.
 */
export async function readInteraction(
  events: AsyncIterable<StreamedEvent>,
  observer: TurnObserver,
  faults: ReplyFaults,
): Promise<ModelReply> {
  const text = new ReplyText(observer);
  let interaction: Interaction | null = null;
  try {
    for await (const { data } of events) {
      const error = errorOfEvent(data, faults.hasMemory);
      if (error !== null) throw faults.faultOf(error);
      interaction = take(data, text) ?? interaction;
    }
  } catch (error) {
    // Nothing of a complete reply is lost with its connection.
    if (interaction === null) throw error;
  }
  if (interaction === null)
    throw new ModelFault('cut', { words: 'the answer ended before it was complete', isDoubtful: true });
  return replyOf(interaction, text.whole, faults);
}

/** Adds what an event has to the text. Returns the interaction once it is complete. */
function take(data: unknown, text: ReplyText): Interaction | null {
  const event = Event.safeParse(data).data;
  switch (event?.event_type) {
    case 'step.start':
      text.startStep(event.step.type);
      for (const { text: part } of event.step.content ?? []) text.add(part);
      return null;
    case 'step.delta':
      if (event.delta.type === 'text') text.add(event.delta.text);
      return null;
    case 'interaction.completed':
      return event.interaction;
    case undefined:
      return null;
    default:
      return unreachable(event);
  }
}

/** The text of the model's own steps. */
class ReplyText {
  readonly #observer: TurnObserver;
  #stepType = 'model_output';
  #isInterrupted = false;
  whole = '';

  constructor(observer: TurnObserver) {
    this.#observer = observer;
  }

  startStep(type: string): void {
    this.#stepType = type;
    // Thoughts stand in the middle of a text, calls of tools between two.
    if (type !== 'model_output' && type !== 'thought') this.#isInterrupted = true;
  }

  add(part: string | undefined): void {
    if (this.#stepType !== 'model_output' || !part) return;
    const shown = this.#isInterrupted && this.whole !== '' ? `\n${part}` : part;
    this.#isInterrupted = false;
    this.whole += shown;
    this.#observer.text(shown);
  }
}

function replyOf(interaction: Interaction, text: string, { hasMemory, faultOf }: ReplyFaults): ModelReply {
  const reply = {
    text,
    memory: { interaction: interaction.id },
    usage: usageOf(interaction),
    replyId: interaction.id,
  };
  switch (interaction.status) {
    case 'completed':
      return { ...reply, finish: 'complete' };
    // The second: a request has a limit of its own, below the one that was asked for.
    case 'incomplete':
    case 'requires_continuation':
      return { ...reply, finish: 'cut_off' };
    case 'budget_exceeded':
      throw new ModelFault('quota', { words: 'the budget of the interaction is used up' });
    case 'requires_action':
      throw unusable('the model waits for the result of a function');
    case 'failed':
      throw faultOf(errorOf(interaction.errors?.[0] ?? {}, hasMemory));
    default:
      throw new ModelFault('cut', { words: 'the interaction was ended', isDoubtful: true });
  }
}

/** Thoughts are paid for as output. */
function usageOf({ usage }: Interaction): ModelUsage {
  const outputTokens = usage?.total_output_tokens;
  return {
    inputTokens: usage?.total_input_tokens ?? null,
    outputTokens: outputTokens === undefined ? null : outputTokens + (usage?.total_thought_tokens ?? 0),
  };
}
