import { assert } from '../../base/assert.ts';
import { alternatingTurns } from '../alternating-turns.ts';
import type { ApiRequest, JsonApi } from '../http/json-api.ts';
import type { ModelClient, ModelTurn } from '../model-client.ts';
import { isFault, type ModelFault, unusable } from '../model-fault.ts';
import { probeTurn, SILENT } from '../responses/probe-turn.ts';
import { readResponseError } from '../responses/response-faults.ts';
import { ChatReader, type ChatReply } from './chat-reply.ts';

export interface ChatClientOptions {
  readonly api: JsonApi;
  /** Null: none is chosen yet, so only `browse` works. */
  readonly model: string | null;
  readonly browse: ModelClient['browse'];
}

/** The gateway's transcript goes along with each turn. */
const HISTORY = { rung: 'history' };
/** Enough for a model that thinks first. */
const TEST_TOKENS = 1_024;

/** What some servers refuse, by what they then say, and only some models of theirs. */
const HABITS = {
  /** Without it, most servers do not count tokens. */
  streamOptions: /stream_options|include_usage/i,
  /** OpenAI's models that think. */
  maxTokens: /max_completion_tokens/i,
  /** Templates that know only user and assistant. */
  systemRole:
    /system (?:role|message|prompt)s? (?:is |are )?not supported|roles? must (?:be|alternate)|only user and assistant/i,
} as const;
type Habit = keyof typeof HABITS;

/**
 * Any server that speaks Chat Completions, which keeps no conversation. Models behind it cannot read from the gateway.
 * https://developers.openai.com/api/reference/resources/chat
 */
export function chatClient({ api, model, browse }: ChatClientOptions): ModelClient {
  /** What this server has refused. */
  const refused = new Set<Habit>();
  const ask = async (turn: ModelTurn, observer: { text(part: string): void }): Promise<ChatReply> => {
    for (;;) {
      try {
        const request: ApiRequest = {
          method: 'POST',
          path: '/chat/completions',
          body: bodyOf(model, turn, refused),
          signal: turn.signal,
        };
        const faultOf = (error: object): ModelFault => api.brokenStream(readResponseError(error));
        return await new ChatReader(observer, faultOf).read(await api.stream(request));
      } catch (error) {
        // What was refused was not carried out, so the turn is not sent twice.
        const habit = habitRefused(error);
        if (habit === undefined || refused.has(habit)) throw error;
        refused.add(habit);
      }
    }
  };
  return {
    async probe(signal) {
      await ask(probeTurn('Hello', TEST_TOKENS, signal), SILENT);
    },
    browse,
    async turn(turn, observer) {
      const reply = await ask(turn, observer);
      if (turn.memory === null) observer.memoryChanged(HISTORY);
      return { ...reply, memory: HISTORY };
    },
    needsHistory: () => true,
    /** Nothing follows a turn that was lost. */
    reconcile: async () => ({ kind: 'absent' }),
    forget: async () => {},
  };
}

function bodyOf(model: string | null, turn: ModelTurn, refused: ReadonlySet<Habit>): object {
  const { history, text, instructions, maxOutputTokens } = turn;
  if (!model) throw unusable('model is missing');
  assert(text !== null, 'no fate of a turn of Chat Completions is unanswered');
  const tokens = refused.has('maxTokens') ? 'max_completion_tokens' : 'max_tokens';
  return {
    model,
    messages: messagesOf([...history, { role: 'user', text }], instructions, !refused.has('systemRole')),
    [tokens]: maxOutputTokens,
    stream: true,
    ...(!refused.has('streamOptions') && { stream_options: { include_usage: true } }),
  };
}

function messagesOf(
  turns: ModelTurn['history'],
  instructions: string,
  hasSystem: boolean,
): readonly object[] {
  const [first, ...rest] = alternatingTurns(turns).map(({ role, text }) => ({ role, content: text }));
  if (instructions.trim() === '') return [first!, ...rest];
  if (hasSystem) return [{ role: 'system', content: instructions }, first!, ...rest];
  return [{ ...first!, content: `${instructions}\n\n${first!.content}` }, ...rest];
}

function habitRefused(error: unknown): Habit | undefined {
  if (!isFault(error, 'bad_request', 'bad_endpoint', 'overloaded') || error.status === null) return undefined;
  return (Object.keys(HABITS) as Habit[]).find((habit) => HABITS[habit].test(error.message));
}
