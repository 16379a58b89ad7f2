import { randomBytes } from 'node:crypto';
import type { PastTurn } from '../../models/model-client.ts';
import type { StoredProvider } from '../../store/agents/agent-providers.ts';
import type { Db } from '../../store/database/rows.ts';
import { listUndone } from '../../store/inline/delivery-actions.ts';
import { newestModelTurns } from '../../store/inline/model-turns.ts';
import type { ActionContext } from '../actions/action-context.ts';
import { promptOf } from '../prompt/default-prompt.ts';
import { contextLine, eventText, type LastTurn, lastTurnText } from '../prompt/event-text.ts';
import { ForeignText } from '../prompt/foreign-text.ts';
import { agentContext } from './agent-context.ts';
import type { Turn } from './open-turn.ts';
import { toldEvents } from './told-events.ts';

/** Nobody guesses it. */
const TOKEN_BYTES = 8;
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

/** Tells the model where it is, what became of its last reply, and what has happened since. */
export async function inputOf(
  context: ActionContext,
  turn: Turn,
  provider: StoredProvider,
): Promise<TurnInput> {
  const { domain, scope } = context;
  const foreign = new ForeignText(randomBytes(TOKEN_BYTES).toString('hex'));
  const kept = eventText(await toldEvents(domain, scope, turn.deliveries), foreign);
  const facts = contextLine(await agentContext(context), foreign);
  const last = lastTurnText(await lastTurnOf(context, turn), foreign);
  const text = [facts, last, kept].filter((part) => part !== '').join('\n\n');
  return { instructions: instructionsOf(provider, context.place), text, kept };
}

/** The provider's memory of a call lacks the greeting, which the gateway speaks. */
function instructionsOf(
  { systemPrompt, greeting }: StoredProvider,
  { kind }: ActionContext['place'],
): string {
  const prompt = promptOf(systemPrompt);
  if (kind !== 'call' || !greeting) return prompt;
  return `${prompt}\n\nWhen a call is answered, the gateway first says for you: ${JSON.stringify(greeting)}`;
}

async function lastTurnOf({ domain, place }: ActionContext, { place: lane }: Turn): Promise<LastTurn> {
  const voice = place.kind === 'call' ? domain.voices.find(place.callId) : undefined;
  const undone = await listUndone(domain.store.db, lane.agentId, lane.lane);
  return {
    heard: voice?.takeInterruption()?.heard ?? null,
    refused: undone.map(({ kind, reason }) => ({ kind, reason: reason ?? '' })),
  };
}

/** Returns the newest turns of a conversation that a model's context can take, oldest first. */
export async function historyOf(db: Db, conversationId: number): Promise<PastTurn[]> {
  return newestTurns(await newestModelTurns(db, conversationId, MAX_PAST_TURNS), MAX_PAST_CHARACTERS);
}

/** Returns the newest turns that have at most this many characters together. */
export function newestTurns(turns: readonly PastTurn[], maxCharacters: number): PastTurn[] {
  let characters = 0;
  const first = turns.findLastIndex(({ text }) => {
    characters += text.length;
    return characters > maxCharacters;
  });
  return turns.slice(first + 1);
}
