import { randomInt } from 'node:crypto';
import * as z from 'zod';
import { match } from '../../base/match.ts';
import type { JsonApi } from '../http/json-api.ts';
import type {
  ModelChoices,
  ModelClient,
  ModelMemory,
  ModelReply,
  ModelTurn,
  TurnObserver,
} from '../model-client.ts';
import { ModelFault, type ModelFaultKind, NotReached } from '../model-fault.ts';
import { choicesOf, ModelList } from '../openai/openai-models.ts';
import type { StoredPrompt } from '../openai/stored-prompt.ts';
import { Conversations, requestFields } from '../responses/conversations.ts';
import { probeTurn, SILENT } from '../responses/probe-turn.ts';
import { newMessage, pastMessages, toolsField } from '../responses/response-request.ts';
import { respond } from '../responses/responses-api.ts';

/** How an endpoint keeps a conversation. */
type Rung =
  /** By OpenAI's Conversations, which few copies have. */
  | 'conversation'
  /** Each turn names the response before it. */
  | 'chain'
  /** Not at all: each turn brings the whole history. */
  | 'history';

const Memory = z.discriminatedUnion('rung', [
  z.object({ rung: z.literal('conversation'), conversation: z.string().min(1) }),
  z.object({ rung: z.literal('chain'), response: z.string().min(1) }),
  z.object({ rung: z.literal('history') }),
]);
type CustomMemory = z.output<typeof Memory>;

export interface CustomClientOptions {
  readonly api: JsonApi;
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
export function customClient(options: CustomClientOptions): ModelClient {
  const { api } = options;
  const endpoint: Endpoint = { ...options, conversations: new Conversations(api) };
  let rung: Rung | null = null;
  return {
    async probe(signal) {
      for (const each of ['conversation', 'chain'] as const) {
        if (await remembers(endpoint, each, signal)) {
          rung = each;
          return;
        }
      }
      await withHistory(endpoint, probeTurn('Hello', TEST_TOKENS, signal), SILENT);
      rung = 'history';
    },
    browse: (signal) => browseEndpoint(api, signal),
    async turn(turn, observer) {
      if (turn.memory !== null) return await proceed(endpoint, readMemory(turn.memory), turn, observer);
      if (rung === 'chain') return await inChain(endpoint, null, turn, observer);
      if (rung === 'history') return await withHistory(endpoint, turn, observer);
      try {
        return await inNewConversation(endpoint, turn, observer);
      } catch (error) {
        // Whatever has been refused was not carried out, so the turn is not sent twice.
        if (rung !== null || !isUnsupported(error, REFUSALS)) throw error;
      }
      const reply = await withHistory(endpoint, turn, observer);
      rung = 'history';
      return reply;
    },
    needsHistory: (memory) => memory.rung === 'history',
    /** Only conversations are appended to: elsewhere nothing follows a turn that was lost. */
    async reconcile(turn) {
      const memory = turn.memory && readMemory(turn.memory);
      if (memory?.rung !== 'conversation') return { kind: 'absent' };
      return await endpoint.conversations.fateOf(turn);
    },
    forget: async (memory, signal) => await endpoint.conversations.forget(memory, signal),
  };
}

/** The models that an endpoint lists. Some list none. */
export async function browseEndpoint(api: JsonApi, signal: AbortSignal): Promise<ModelChoices> {
  try {
    const list = await api.ask(ModelList, { method: 'GET', path: '/models', signal });
    return { models: choicesOf(list), agents: [], notice: null };
  } catch (error) {
    if (!isUnsupported(error, NO_SUCH_PATH)) throw error;
    const notice = 'The endpoint does not list its models. Enter the name of one.';
    return { models: [], agents: [], notice };
  }
}

interface Endpoint extends CustomClientOptions {
  readonly conversations: Conversations;
}

function proceed(
  endpoint: Endpoint,
  memory: CustomMemory,
  turn: ModelTurn,
  observer: TurnObserver,
): Promise<ModelReply> {
  return match(memory, 'rung', {
    conversation: (memory) => endpoint.conversations.send(fieldsOf(endpoint, turn), turn, observer, memory),
    chain: (memory) => inChain(endpoint, memory.response, turn, observer),
    history: () => withHistory(endpoint, turn, observer),
  });
}

async function inNewConversation(
  endpoint: Endpoint,
  turn: ModelTurn,
  observer: TurnObserver,
): Promise<ModelReply> {
  const { conversations } = endpoint;
  const memory = { ...(await conversations.start(turn)), rung: 'conversation' } as const;
  observer.memoryChanged(memory);
  return await conversations.send(fieldsOf(endpoint, turn), turn, observer, memory);
}

async function inChain(
  endpoint: Endpoint,
  previous: string | null,
  turn: ModelTurn,
  observer: TurnObserver,
): Promise<ModelReply> {
  const body = {
    ...fieldsOf(endpoint, turn),
    ...requestFields(turn),
    ...(previous === null ? {} : { previous_response_id: previous }),
    input: [...(previous === null ? pastMessages(turn.history) : []), newMessage(turn)],
    store: true,
  };
  const reply = await respond(endpoint.api, body, turn, observer);
  const { replyId } = reply;
  const memory = replyId === null ? HISTORY : ({ rung: 'chain', response: replyId } as const);
  observer.memoryChanged(memory);
  return { ...reply, memory };
}

async function withHistory(endpoint: Endpoint, turn: ModelTurn, observer: TurnObserver): Promise<ModelReply> {
  const input = [...pastMessages(turn.history), newMessage(turn)];
  const body = { ...fieldsOf(endpoint, turn), ...requestFields(turn), input, store: false };
  const reply = await respond(endpoint.api, body, turn, observer);
  if (turn.memory === null) observer.memoryChanged(HISTORY);
  return { ...reply, memory: HISTORY };
}

function fieldsOf({ model, prompt, mayRead }: Endpoint, { tools }: ModelTurn): object {
  return {
    ...(model !== null && { model }),
    ...(prompt !== null && { prompt }),
    ...toolsField(mayRead ? tools : null),
  };
}

async function remembers(
  endpoint: Endpoint,
  rung: 'conversation' | 'chain',
  signal: AbortSignal,
): Promise<boolean> {
  const test = new MemoryTest();
  const ask = (text: string): ModelTurn => probeTurn(text, TEST_TOKENS, signal);
  const kept: ModelMemory[] = [];
  const observer = { ...SILENT, memoryChanged: (memory: ModelMemory) => void kept.push(memory) };
  try {
    const first = ask(test.first);
    if (rung === 'chain') await inChain(endpoint, null, first, observer);
    else await inNewConversation(endpoint, first, observer);
    const memory = readMemory(kept.at(-1)!);
    const { text } = await proceed(endpoint, memory, ask(test.second), observer);
    return test.isPassedBy(text);
  } catch (error) {
    if (isUnsupported(error, REFUSALS)) return false;
    throw error;
  } finally {
    // What the test leaves behind says nothing about the endpoint.
    for (const memory of kept) await endpoint.conversations.forget(memory, signal).catch(() => {});
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
  if (!(error instanceof ModelFault) || error instanceof NotReached) return false;
  const { kind, status } = error;
  return status === NOT_IMPLEMENTED || kind === 'bad_endpoint' || (status !== null && kinds.has(kind));
}

/** Throws `lost_memory` for a memory of another kind. */
function readMemory(memory: ModelMemory): CustomMemory {
  const { data } = Memory.safeParse(memory);
  if (data) return data;
  throw new ModelFault('lost_memory', { words: 'the conversation is kept in a place that no longer counts' });
}

const CONSONANTS = 'bdfgklmnprstv';
const VOWELS = 'aeiou';
const SYLLABLES = 5;

/**
 * Two questions that show whether an endpoint remembers: some ignore silently what should remind them. The word is no
 * word, so nobody guesses it.
 */
class MemoryTest {
  readonly #word = Array.from({ length: SYLLABLES }, () => pick(CONSONANTS) + pick(VOWELS)).join('');

  get first(): string {
    return `Remember this word: ${this.#word}. Answer only with OK.`;
  }

  readonly second = 'Which word did I ask you to remember? Answer only with the word.';

  isPassedBy(answer: string): boolean {
    return answer.toLowerCase().includes(this.#word);
  }
}

function pick(letters: string): string {
  return letters.charAt(randomInt(letters.length));
}
