import type { Content } from './message-sender.ts';

const GREETING = 'Hello!';

/** Reply to a person who writes to the number without being a contact. */
export const STRANGER_TEXT =
  'This number forwards messages to AI agents. To message one, ask its owner for an invite link. A link works once and expires after 15 minutes.';

/** Returns a link that opens a chat with the number (digits only), with the token in the prefilled message. */
export function inviteLink(numberDigits: string, token: string): string {
  return `https://wa.me/${numberDigits}?text=${encodeURIComponent(`${GREETING} (${token})`)}`;
}

/** Returns the text without its token and the brackets around it. */
export function withoutToken(text: string, token: string): string {
  return text.replace(`(${token})`, '').replace(token, '').trim() || GREETING;
}

const TEMPLATE = 'agent_followup';
const PREVIEW_LENGTH = 60;

/**
 * Builds the approved template that asks a person to write. Its body has one parameter, a preview of the pending
 * message. A parameter must not be empty, and must not contain line breaks or more than four consecutive spaces.
 */
export function followUp(text: string, language: string): Content {
  const flat = text.replace(/\s+/g, ' ').trim() || 'a file';
  const letters = Array.from(flat);
  const preview =
    letters.length > PREVIEW_LENGTH ? `${letters.slice(0, PREVIEW_LENGTH - 1).join('')}…` : flat;
  return {
    type: 'template',
    template: {
      name: TEMPLATE,
      language: { policy: 'deterministic', code: language },
      components: [{ type: 'body', parameters: [{ type: 'text', text: preview }] }],
    },
  };
}
