import type { PastTurn } from '../../models/model-client.ts';
import type { StoredProvider } from '../../store/agents/agent-providers.ts';
import type { Db } from '../../store/database/tables.ts';
import { newestModelTurns } from '../../store/inline/model-turns.ts';
import type { ActionContext } from '../actions/action-context.ts';
import type { Turn } from './open-turn.ts';
import { toldEvents } from './told-events.ts';

const MAX_PAST_TURNS = 200;
/** About 15,000 tokens. */
const MAX_PAST_CHARACTERS = 60_000;

/** What a model is told in one turn. */
export interface TurnInput {
  readonly instructions: string;
  readonly text: string;
  /** The part of the text that is kept in the transcript: what has happened. */
  readonly kept: string;
}

export async function inputOf(
  { domain, scope }: ActionContext,
  turn: Turn,
  { systemPrompt }: StoredProvider,
): Promise<TurnInput> {
  const events = await toldEvents(domain, scope, turn.deliveries);
  const text = events.map((event) => String(event.text ?? JSON.stringify(event))).join('\n');
  return { instructions: systemPrompt ?? '', text, kept: text };
}

/** Returns the newest turns of a conversation that a model's context can take, oldest first. */
export async function historyOf(db: Db, conversationId: number): Promise<PastTurn[]> {
  const turns = await newestModelTurns(db, conversationId, MAX_PAST_TURNS);
  let characters = 0;
  const first = turns.findLastIndex(({ text }) => {
    characters += text.length;
    return characters > MAX_PAST_CHARACTERS;
  });
  return turns.slice(first + 1);
}
