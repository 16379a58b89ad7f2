import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { ModelReply, ModelTurn, TurnFate, TurnObserver } from '../model-client.ts';
import { ModelFault } from '../model-fault.ts';
import type { ModelMemory } from '../model-memory.ts';
import { Conversations } from './conversations.ts';
import { maxOutputTokens, message, newMessage, pastMessages } from './response-request.ts';
import type { ResponsesApi } from './responses-api.ts';

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

/** Turns whose memory is a conversation at the provider. */
export class ConversationTurns {
  readonly #api: ResponsesApi;
  readonly #conversations: Conversations;
  readonly #place: InstructionsPlace;

  constructor(api: ResponsesApi, place: InstructionsPlace = 'request') {
    this.#api = api;
    this.#conversations = new Conversations(api);
    this.#place = place;
  }

  /** Starts a conversation with what was said before. Resolves with its memory. */
  async start({ history, instructions, signal }: ModelTurn): Promise<ModelMemory> {
    const past = pastMessages(history);
    if (this.#place === 'request') return { conversation: await this.#conversations.start(past, signal) };
    const told = [message('developer', instructions), ...past];
    return {
      conversation: await this.#conversations.start(told, signal),
      instructions: digest(instructions),
    };
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
    const reply = await this.#api.respond({ ...fields, ...own, conversation, input }, turn, observer);
    return { ...reply, memory: isTold ? memory : { ...memory, instructions: digest(turn.instructions) } };
  }

  async fateOf(turn: ModelTurn): Promise<TurnFate> {
    const { memory } = turn;
    if (memory === null) return { kind: 'absent' };
    return await this.#conversations.fateOf(readMemory(memory).conversation, turn, memory);
  }

  async forget(memory: ModelMemory, signal: AbortSignal): Promise<void> {
    const { data } = Memory.safeParse(memory);
    if (data) await this.#conversations.delete(data.conversation, signal);
  }
}

/** What a model needs to know in each request, since nothing keeps it. */
export function requestFields(turn: ModelTurn) {
  return { instructions: turn.instructions, max_output_tokens: maxOutputTokens(turn) };
}

function digest(instructions: string): string {
  return createHash('sha256').update(instructions).digest('hex').slice(0, 32);
}

/** Throws `lost_memory` for a memory of another kind. */
function readMemory(memory: ModelMemory): Memory {
  const { data } = Memory.safeParse(memory);
  if (data) return data;
  throw new ModelFault('lost_memory', { words: 'the conversation is kept in a place that no longer counts' });
}
