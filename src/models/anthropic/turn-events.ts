import type { ModelTurn, PastTurn } from '../model-client.ts';
import type { SessionEvent } from './session-event.ts';

const SPEAKERS: Readonly<Record<PastTurn['role'], string>> = { user: 'User', assistant: 'You' };
const DENIED = 'Nobody is here to confirm this. Go on without it.';

/**
 * Returns the user's message of a turn. Sessions take no messages of the assistant, so earlier turns are quoted in a block
 * before the text.
 */
export function userMessage({ text, marker, history }: ModelTurn, isFirst: boolean): object {
  const said = text ?? `${marker} Answer the message before this one.`;
  const texts = isFirst && history.length > 0 ? [quoted(history), said] : [said];
  return { type: 'user.message', content: texts.map((part) => ({ type: 'text', text: part })) };
}

/**
 * Returns answers to what an agent waits for. The gateway's own tools need no confirmation, so it is a tool of an agent
 * that somebody has picked.
 */
export function denials(ids: readonly string[], types: ReadonlyMap<string, SessionEvent['type']>): object[] {
  return ids.map((id) =>
    types.get(id) === 'agent.custom_tool_use'
      ? {
          type: 'user.custom_tool_result',
          custom_tool_use_id: id,
          is_error: true,
          content: [{ type: 'text', text: DENIED }],
        }
      : { type: 'user.tool_confirmation', tool_use_id: id, result: 'deny', deny_message: DENIED },
  );
}

function quoted(history: readonly PastTurn[]): string {
  const turns = history.map(({ role, text }) => `${SPEAKERS[role]}: ${text}`);
  return ['[earlier in this conversation]', ...turns, '[end of the earlier part]'].join('\n\n');
}
