import type { Item } from './response-schema.ts';

/**
 * Whether a message's text counts. Commentary does not: what a model announces in it, it repeats at the end. An item
 * without a phase is final.
 */
export function isFinalMessage({ type, role, phase }: Item): boolean {
  return (type ?? 'message') === 'message' && (role ?? 'assistant') === 'assistant' && phase !== 'commentary';
}

/** The final text of a response's items. */
export function finalText(items: readonly Item[]): string {
  return items.filter(isFinalMessage).map(textOf).join('');
}

export function textOf({ content }: Item): string {
  return typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('');
}

/** The words with which the model declined; null: it did not. */
export function refusalIn(items: readonly Item[]): string | null {
  const parts = items.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
  const refusals = parts.flatMap(({ type, refusal }) => (type === 'refusal' ? [refusal ?? ''] : []));
  return refusals.length === 0 ? null : refusals.join(' ');
}

/** Items at which a turn stops until the client acts. */
const WAITING: ReadonlySet<string> = new Set([
  'mcp_approval_request',
  'oauth_consent_request',
  'function_call',
  'custom_tool_call',
]);

/** What the turn waits for, as the API calls it; null: nothing. */
export function waitIn(items: readonly Item[]): string | null {
  return items.find(({ type }) => WAITING.has(type ?? ''))?.type ?? null;
}
