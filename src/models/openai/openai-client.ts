import { createHash } from 'node:crypto';
import type { Clock } from '../../base/time.ts';
import type { JsonApi } from '../http/json-api.ts';
import type {
  ModelChoices,
  ModelClient,
  ModelMemory,
  ModelReply,
  ModelTurn,
  TurnFate,
  TurnObserver,
} from '../model-client.ts';
import { isFault, ModelFault } from '../model-fault.ts';
import { Conversations } from '../responses/conversations.ts';
import { probeConversation } from '../responses/probe-turn.ts';
import { toolsField } from '../responses/response-request.ts';
import { canHurry } from './openai-models.ts';
import { promptsHaveEnded, STORED_PROMPTS_ENDED, type StoredPrompt } from './stored-prompt.ts';

export interface OpenAiClientOptions {
  readonly api: JsonApi;
  readonly clock: Clock;
  /** Null: the stored prompt has one, or none is chosen yet. */
  readonly model: string | null;
  readonly prompt: StoredPrompt | null;
  /** The provider may sum up what is older in a conversation that grows long. */
  readonly compacts: boolean;
  readonly browse: (signal: AbortSignal) => Promise<ModelChoices>;
}

/** Input tokens. Most models take several times as much, but answer later and cost more. */
const COMPACT_THRESHOLD = 100_000;
const COMPACTION = 'context_management';

/**
 * A model at OpenAI, or at Azure, by the Responses API, with a conversation of the Conversations API for each of the
 * gateway's.
 */
export class OpenAiClient implements ModelClient {
  readonly #options: OpenAiClientOptions;
  readonly #turns: Conversations;
  #compacts: boolean;

  constructor(options: OpenAiClientOptions) {
    this.#options = options;
    this.#turns = new Conversations(options.api);
    this.#compacts = options.compacts;
  }

  /** Sends a turn: a key may be allowed to list models, and nothing else. */
  async probe(signal: AbortSignal): Promise<void> {
    await probeConversation(this, signal);
  }

  browse(signal: AbortSignal): Promise<ModelChoices> {
    return this.#options.browse(signal);
  }

  async turn(turn: ModelTurn, observer: TurnObserver): Promise<ModelReply> {
    const memory = turn.memory ?? (await this.#turns.start(turn));
    if (turn.memory === null) observer.memoryChanged(memory);
    try {
      return await this.#send(turn, observer, memory);
    } catch (error) {
      throw this.#explained(error);
    }
  }

  /** Not every model compacts. A turn that is refused for that was not taken. */
  async #send(turn: ModelTurn, observer: TurnObserver, memory: ModelMemory): Promise<ModelReply> {
    try {
      return await this.#turns.send(this.#fields(turn), turn, observer, memory);
    } catch (error) {
      if (!this.#compacts || !isAboutCompaction(error)) throw error;
    }
    this.#compacts = false;
    return await this.#turns.send(this.#fields(turn), turn, observer, memory);
  }

  reconcile(turn: ModelTurn): Promise<TurnFate> {
    return this.#turns.fateOf(turn);
  }

  forget(memory: ModelMemory, signal: AbortSignal): Promise<void> {
    return this.#turns.forget(memory, signal);
  }

  #fields({ instructions, isSpoken, tools }: ModelTurn): object {
    const { model, prompt } = this.#options;
    return {
      ...(model !== null && { model }),
      ...(prompt !== null && { prompt }),
      ...toolsField(tools),
      ...(isSpoken && canHurry(model ?? '') && { reasoning: { effort: 'low' } }),
      ...(this.#compacts && {
        [COMPACTION]: [{ type: 'compaction', compact_threshold: COMPACT_THRESHOLD }],
      }),
      stream_options: { include_obfuscation: false },
      // Requests that start alike go to the same cache.
      prompt_cache_key: createHash('sha256').update(instructions).digest('hex').slice(0, 32),
    };
  }

  #explained(error: unknown): unknown {
    const { clock, prompt } = this.#options;
    if (!prompt || !promptsHaveEnded(clock) || !isFault(error, 'bad_request', 'not_found')) return error;
    return new ModelFault('bad_request', { words: STORED_PROMPTS_ENDED }, { cause: error });
  }
}

function isAboutCompaction(error: unknown): boolean {
  return isFault(error, 'bad_request') && error.message.includes(COMPACTION);
}
