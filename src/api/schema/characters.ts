import * as z from 'zod';

/** Specification, "Limits": chat text. */
const MAX_CHAT_CHARACTERS = 10_000;

/**
 * A check that a text has at most so many characters as people count them, and JSON Schema: one outside the basic plane
 * is one, though JavaScript takes two units for it. The schema that has the check tells `maxLength` by itself.
 */
export function atMost(characters: number): z.core.CheckFn<string> {
  return ({ value, issues }) => {
    if (value.length <= characters || [...value].length <= characters) return;
    issues.push({ code: 'too_big', origin: 'string', maximum: characters, inclusive: true, input: value });
  };
}

/** What is written in a chat, of a call or of a conversation; empty only with attachments (`requireContent`). */
export const ChatText = z
  .string()
  .check(atMost(MAX_CHAT_CHARACTERS))
  .meta({ maxLength: MAX_CHAT_CHARACTERS })
  .optional();

/** A check that a chat message has a text or attachments. */
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
