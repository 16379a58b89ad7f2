import type { Content } from './message-sender.ts';

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
