import * as z from 'zod';

/** Longest chat text (specification, "Limits"). */
const MAX_CHAT_CHARACTERS = 10_000;

/**
 * A check that a text has at most this many Unicode characters. Like JSON Schema, it counts a character outside the
 * basic plane once, although JavaScript stores two units. The schema must declare `maxLength` itself.
 */
export function atMost(characters: number): z.core.CheckFn<string> {
  return ({ value, issues }) => {
    if (value.length <= characters || [...value].length <= characters) return;
    issues.push({ code: 'too_big', origin: 'string', maximum: characters, inclusive: true, input: value });
  };
}

/** Text of a chat message, in a call or a conversation. May be empty only with attachments (`requireContent`). */
export const ChatText = z
  .string()
  .check(atMost(MAX_CHAT_CHARACTERS))
  .meta({ maxLength: MAX_CHAT_CHARACTERS })
  .optional();

/** A check that a chat message has text or attachments. */
export const requireContent: z.core.CheckFn<{
  readonly text?: string | undefined;
  readonly attachments: readonly unknown[];
}> = ({ value, issues }) => {
  const { text, attachments } = value;
  if (text || attachments.length > 0) return;
  const at = { path: ['text'], input: text };
  if (text === '') issues.push({ code: 'too_small', origin: 'string', minimum: 1, inclusive: true, ...at });
  else issues.push({ code: 'custom', message: 'text or attachments is required', ...at });
};
