import type { OffersChoices } from '../../contract/messenger.ts';
import { checkTextLength } from '../../kit/sending.ts';

/** https://docs.slack.dev/reference/block-kit/blocks/actions-block */
export const CHOICES: OffersChoices = { most: 25, longest: 75 };

/** Of a section (https://docs.slack.dev/reference/block-kit/blocks/section-block). */
const MAX_TEXT = 3_000;
const OWN = /^svc-choice-\d{1,2}$/;

/** Throws GatewayError `send_failed` for a text that is too long above buttons, in mrkdwn. */
export function checkTextAbove(text: string): void {
  checkTextLength('Slack', text.length, MAX_TEXT, 'text above choices');
}

/** Returns a text in mrkdwn with buttons below it. */
export function blocksOf(text: string, choices: readonly string[]): readonly object[] {
  const elements = choices.map((value, n) => ({
    type: 'button',
    action_id: `svc-choice-${n}`,
    text: { type: 'plain_text', text: value },
    value,
  }));
  return [
    { type: 'section', text: { type: 'mrkdwn', text } },
    { type: 'actions', elements },
  ];
}

/** Whether a button is one of the gateway's own. */
export function isOwnChoice(actionId: string): boolean {
  return OWN.test(actionId);
}
