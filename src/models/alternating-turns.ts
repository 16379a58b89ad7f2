import type { PastTurn } from './model-client.ts';

/** Many models take only conversations that begin with the user. Ours may begin with a greeting. */
const OPENING: PastTurn = { role: 'user', text: '(The conversation begins.)' };

/** A conversation in which user and assistant take turns, the user first, and no text is blank. */
export function alternatingTurns(turns: readonly PastTurn[]): readonly PastTurn[] {
  const spoken = turns.filter(({ text }) => text.trim() !== '');
  return joined(spoken[0]?.role === 'user' ? spoken : [OPENING, ...spoken]);
}

/** Joins neighbours of the same role. */
function joined(turns: readonly PastTurn[]): readonly PastTurn[] {
  const groups: PastTurn[] = [];
  for (const turn of turns) {
    const last = groups.at(-1);
    if (last?.role === turn.role)
      groups[groups.length - 1] = { ...last, text: `${last.text}\n\n${turn.text}` };
    else groups.push(turn);
  }
  return groups;
}
