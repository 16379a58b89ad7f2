import { unreachable } from '../../base/assert.ts';
import type {
  ModelChoices,
  ModelClient,
  ModelReply,
  ModelTurn,
  TurnFate,
  TurnObserver,
} from '../model-client.ts';
import { ModelFault, type ModelFaultKind } from '../model-fault.ts';
import type { ModelMemory } from '../model-memory.ts';
import { choicesOf, ModelList } from '../openai/openai-models.ts';
import type { StoredPrompt } from '../openai/stored-prompt.ts';
import { ConversationTurns, requestFields } from '../responses/conversation-turns.ts';
import { probeTurn, SILENT } from '../responses/probe-turn.ts';
import { newMessage, pastMessages, toolsField } from '../responses/response-request.ts';
import type { ResponsesApi } from '../responses/responses-api.ts';
import { type CustomMemory, type Rung, readMemory } from './custom-memory.ts';
import { MemoryTest } from './memory-test.ts';

export interface CustomClientOptions {
  readonly api: ResponsesApi;
  readonly model: string | null;
  readonly prompt: StoredPrompt | null;
  /** The owner lets the endpoint have a bearer of the gateway. */
  readonly mayRead: boolean;
}

/** Enough for a model that thinks first. */
const TEST_TOKENS = 1_024;

/**
 * Any endpoint that speaks OpenAI's Responses API (https://www.openresponses.org). The probe finds out how the endpoint
 * remembers. Without one, conversations are tried, and then each turn brings its history: that always works.
 */
export class CustomClient implements ModelClient {
  readonly #options: CustomClientOptions;
  readonly #conversations: ConversationTurns;
  #rung: Rung | null = null;

  constructor(options: CustomClientOptions) {
    this.#options = options;
    this.#conversations = new ConversationTurns(options.api);
  }

  async probe(signal: AbortSignal): Promise<void> {
    for (const rung of ['conversation', 'chain'] as const) {
      if (await this.#remembers(rung, signal)) {
        this.#rung = rung;
        return;
      }
    }
    await this.#withHistory(probeTurn('Hello', TEST_TOKENS, signal), SILENT);
    this.#rung = 'history';
  }

  async browse(signal: AbortSignal): Promise<ModelChoices> {
    try {
      const list = await this.#options.api.ask(ModelList, { method: 'GET', path: '/models', signal });
      return { models: choicesOf(list), agents: [], notice: null };
    } catch (error) {
      if (!isUnsupported(error, NO_SUCH_PATH)) throw error;
      return {
        models: [],
        agents: [],
        notice: 'The endpoint does not list its models. Enter the name of one.',
      };
    }
  }

  async turn(turn: ModelTurn, observer: TurnObserver): Promise<ModelReply> {
    if (turn.memory !== null) return await this.#continue(readMemory(turn.memory), turn, observer);
    const rung = this.#rung ?? 'conversation';
    if (rung === 'chain') return await this.#inChain(null, turn, observer);
    if (rung === 'history') return await this.#withHistory(turn, observer);
    try {
      return await this.#inNewConversation(turn, observer);
    } catch (error) {
      // Whatever has been refused was not carried out, so the turn is not sent twice.
      if (this.#rung !== null || !isUnsupported(error, REFUSALS)) throw error;
    }
    const reply = await this.#withHistory(turn, observer);
    this.#rung = 'history';
    return reply;
  }

  needsHistory(memory: ModelMemory): boolean {
    return memory.rung === 'history';
  }

  /** Only conversations are appended to: elsewhere nothing follows a turn that was lost. */
  async reconcile(turn: ModelTurn): Promise<TurnFate> {
    const memory = turn.memory && readMemory(turn.memory);
    return memory?.rung === 'conversation' ? await this.#conversations.fateOf(turn) : { kind: 'absent' };
  }

  async forget(memory: ModelMemory, signal: AbortSignal): Promise<void> {
    await this.#conversations.forget(memory, signal);
  }

  #continue(memory: CustomMemory, turn: ModelTurn, observer: TurnObserver): Promise<ModelReply> {
    switch (memory.rung) {
      case 'conversation':
        return this.#conversations.send(this.#fields(turn), turn, observer, memory);
      case 'chain':
        return this.#inChain(memory.response, turn, observer);
      case 'history':
        return this.#withHistory(turn, observer);
      default:
        return unreachable(memory);
    }
  }

  async #inNewConversation(turn: ModelTurn, observer: TurnObserver): Promise<ModelReply> {
    const memory = { ...(await this.#conversations.start(turn)), rung: 'conversation' } as const;
    observer.memoryChanged(memory);
    return await this.#conversations.send(this.#fields(turn), turn, observer, memory);
  }

  async #inChain(previous: string | null, turn: ModelTurn, observer: TurnObserver): Promise<ModelReply> {
    const body = {
      ...this.#fields(turn),
      ...requestFields(turn),
      ...(previous === null ? {} : { previous_response_id: previous }),
      input: [...(previous === null ? pastMessages(turn.history) : []), newMessage(turn)],
      store: true,
    };
    const reply = await this.#options.api.respond(body, turn, observer);
    const { replyId } = reply;
    const memory = replyId === null ? HISTORY : ({ rung: 'chain', response: replyId } as const);
    observer.memoryChanged(memory);
    return { ...reply, memory };
  }

  async #withHistory(turn: ModelTurn, observer: TurnObserver): Promise<ModelReply> {
    const input = [...pastMessages(turn.history), newMessage(turn)];
    const body = { ...this.#fields(turn), ...requestFields(turn), input, store: false };
    const reply = await this.#options.api.respond(body, turn, observer);
    if (turn.memory === null) observer.memoryChanged(HISTORY);
    return { ...reply, memory: HISTORY };
  }

  #fields({ tools }: ModelTurn): object {
    const { model, prompt, mayRead } = this.#options;
    return {
      ...(model !== null && { model }),
      ...(prompt !== null && { prompt }),
      ...toolsField(mayRead ? tools : null),
    };
  }

  async #remembers(rung: 'conversation' | 'chain', signal: AbortSignal): Promise<boolean> {
    const test = new MemoryTest();
    const ask = (text: string): ModelTurn => probeTurn(text, TEST_TOKENS, signal);
    const kept: ModelMemory[] = [];
    const observer = { ...SILENT, memoryChanged: (memory: ModelMemory) => void kept.push(memory) };
    try {
      const first = ask(test.first);
      if (rung === 'chain') await this.#inChain(null, first, observer);
      else await this.#inNewConversation(first, observer);
      const memory = readMemory(kept.at(-1)!);
      const { text } = await this.#continue(memory, ask(test.second), observer);
      return test.isPassedBy(text);
    } catch (error) {
      if (isUnsupported(error, REFUSALS)) return false;
      throw error;
    } finally {
      // What the test leaves behind says nothing about the endpoint.
      for (const memory of kept) await this.forget(memory, signal).catch(() => {});
    }
  }
}

const HISTORY: CustomMemory = { rung: 'history' };

const NO_SUCH_PATH: ReadonlySet<ModelFaultKind> = new Set(['not_found']);
/** Gates that know few paths refuse all others as if the key were wrong. */
const REFUSALS: ReadonlySet<ModelFaultKind> = new Set([
  ...NO_SUCH_PATH,
  'bad_request',
  'lost_memory',
  'no_access',
  'key_rejected',
]);
const NOT_IMPLEMENTED = 501;

/** Not for what a reply says: the turn behind it was carried out. */
function isUnsupported(error: unknown, kinds: ReadonlySet<ModelFaultKind>): boolean {
  if (!(error instanceof ModelFault)) return false;
  const { kind, status } = error;
  return status === NOT_IMPLEMENTED || kind === 'bad_endpoint' || (status !== null && kinds.has(kind));
}
