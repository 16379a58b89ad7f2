import type { Content } from './message-sender.ts';

const TEMPLATE = 'agent_followup';
const PREVIEW_LENGTH = 60;

/**
 * The approved template that asks somebody to write; its body has one parameter, a preview of what waits. A parameter
 * may have neither line breaks nor more than four spaces in a row, and not be empty.
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
