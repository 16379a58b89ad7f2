import type { Clock } from '../../base/time.ts';
import type { JsonApi } from '../http/json-api.ts';
import type { ModelChoices, ModelClient, ModelTurn } from '../model-client.ts';
import { isFault, ModelFault } from '../model-fault.ts';
import { Conversations, digest } from '../responses/conversations.ts';
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
export function openAiClient({ api, clock, browse, ...options }: OpenAiClientOptions): ModelClient {
  const turns = new Conversations(api);
  let { compacts } = options;
  const { prompt } = options;
  const client: ModelClient = {
    /** Sends a turn: a key may be allowed to list models, and nothing else. */
    probe: async (signal) => await probeConversation(client, signal),
    browse,
    async turn(turn, observer) {
      const memory = await turns.memoryOf(turn, observer);
      const send = () => turns.send(fieldsOf({ ...options, compacts }, turn), turn, observer, memory);
      try {
        // Not every model compacts. A turn that is refused for that was not taken.
        return await send().catch(async (error) => {
          if (!compacts || !isFault(error, 'bad_request') || !error.message.includes(COMPACTION)) throw error;
          compacts = false;
          return await send();
        });
      } catch (error) {
        if (!prompt || !promptsHaveEnded(clock) || !isFault(error, 'bad_request', 'not_found')) throw error;
        throw new ModelFault('bad_request', { words: STORED_PROMPTS_ENDED }, { cause: error });
      }
    },
    reconcile: (turn) => turns.fateOf(turn),
    forget: (memory, signal) => turns.forget(memory, signal),
  };
  return client;
}

function fieldsOf(
  { model, prompt, compacts }: Pick<OpenAiClientOptions, 'model' | 'prompt' | 'compacts'>,
  { instructions, isSpoken, tools }: ModelTurn,
): object {
  return {
    ...(model !== null && { model }),
    ...(prompt !== null && { prompt }),
    ...toolsField(tools),
    ...(isSpoken && canHurry(model ?? '') && { reasoning: { effort: 'low' } }),
    ...(compacts && { [COMPACTION]: [{ type: 'compaction', compact_threshold: COMPACT_THRESHOLD }] }),
    stream_options: { include_obfuscation: false },
    // Requests that start alike go to the same cache.
    prompt_cache_key: digest(instructions),
  };
}
