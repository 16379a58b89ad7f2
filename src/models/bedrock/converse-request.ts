import { assert } from '../../base/assert.ts';
import type { ModelTurn, PastTurn } from '../model-client.ts';

/** Conversations must begin with the user. Ours may begin with a greeting. */
const OPENING: PastTurn = { role: 'user', text: '(The conversation begins.)' };

/**
 * The body of a Converse request. Bedrock keeps nothing, so the whole history goes along. Roles alternate, and no text may be
 * blank. https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html
 */
export function converseBody({ history, text, instructions, maxOutputTokens }: ModelTurn): string {
  assert(text !== null, 'no fate of a turn at Bedrock is unanswered');
  return JSON.stringify({
    messages: messagesOf([...history, { role: 'user', text }]),
    ...(isBlank(instructions) ? {} : { system: [{ text: instructions }] }),
    inferenceConfig: { maxTokens: maxOutputTokens },
  });
}

/** A request that costs one token. */
export function smallestBody(): string {
  return JSON.stringify({ messages: messagesOf([OPENING]), inferenceConfig: { maxTokens: 1 } });
}

function messagesOf(turns: readonly PastTurn[]): readonly object[] {
  const spoken = turns.filter(({ text }) => !isBlank(text));
  const whole = spoken[0]?.role === 'user' ? spoken : [OPENING, ...spoken];
  return joined(whole).map(({ role, text }) => ({ role, content: [{ text }] }));
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

function isBlank(text: string): boolean {
  return text.trim() === '';
}
