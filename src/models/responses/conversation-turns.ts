import * as z from 'zod';
import type { ModelReply, ModelTurn, TurnFate, TurnObserver } from '../model-client.ts';
import { ModelFault } from '../model-fault.ts';
import type { ModelMemory } from '../model-memory.ts';
import { Conversations } from './conversations.ts';
import { maxOutputTokens, newMessage, pastMessages } from './response-request.ts';
import type { ResponsesApi } from './responses-api.ts';

const Memory = z.object({ conversation: z.string().min(1) });

/** Turns whose memory is a conversation at the provider. */
export class ConversationTurns {
  readonly #api: ResponsesApi;
  readonly #conversations: Conversations;

  constructor(api: ResponsesApi) {
    this.#api = api;
    this.#conversations = new Conversations(api);
  }

  /** Starts a conversation with what was said before. Resolves with its memory. */
  async start({ history, signal }: ModelTurn): Promise<ModelMemory> {
    return { conversation: await this.#conversations.start(pastMessages(history), signal) };
  }

  /** Sends a turn. `fields` name the model or what else is to answer. */
  async send(
    fields: object,
    turn: ModelTurn,
    observer: TurnObserver,
    memory: ModelMemory,
  ): Promise<ModelReply> {
    const body = {
      ...fields,
      instructions: turn.instructions,
      conversation: conversationIn(memory),
      input: [newMessage(turn)],
      max_output_tokens: maxOutputTokens(turn),
    };
    return { ...(await this.#api.respond(body, turn, observer)), memory };
  }

  async fateOf(turn: ModelTurn): Promise<TurnFate> {
    const { memory } = turn;
    if (memory === null) return { kind: 'absent' };
    return await this.#conversations.fateOf(conversationIn(memory), turn, memory);
  }

  async forget(memory: ModelMemory, signal: AbortSignal): Promise<void> {
    const { data } = Memory.safeParse(memory);
    if (data) await this.#conversations.delete(data.conversation, signal);
  }
}

/** Throws `lost_memory` for a memory of another kind. */
function conversationIn(memory: ModelMemory): string {
  const { data } = Memory.safeParse(memory);
  if (data) return data.conversation;
  throw new ModelFault('lost_memory', { words: 'the conversation is kept in a place that no longer counts' });
}
