import type { OffersChoices } from '../contract/messenger.ts';
import { checkTextLength } from '../kit/sending.ts';

/**
 * A message has up to 3 buttons, or else a list of up to 10 rows
 * (https://developers.facebook.com/documentation/business-messaging/whatsapp/messages/interactive-list-messages).
 */
const MAX_BUTTONS = 3;
const MAX_BUTTON_LENGTH = 20;
export const CHOICES: OffersChoices = { most: 10, longest: 24 };

const MAX_BUTTONS_TEXT = 1_024;
const OPEN_LIST = 'Choose';

/** Ids of the gateway's own buttons and rows. */
export const OWN_CHOICE = /^choice-\d{1,2}$/;

/** Throws GatewayError `send_failed` for a text that is too long above buttons. It counts as it is sent. */
export function checkTextAbove(text: string): void {
  checkTextLength('WhatsApp', text.length, MAX_BUTTONS_TEXT, 'text above choices');
}

/** Returns a text with choices below it, as the API takes it. */
export function choicesOf(text: string, choices: readonly string[]) {
  const rows = choices.map((title, n) => ({ id: `choice-${n}`, title }));
  const isShort = rows.every(({ title }) => [...title].length <= MAX_BUTTON_LENGTH);
  const body = { text };
  const interactive =
    rows.length <= MAX_BUTTONS && isShort
      ? { type: 'button', body, action: { buttons: rows.map((reply) => ({ type: 'reply', reply })) } }
      : { type: 'list', body, action: { button: OPEN_LIST, sections: [{ rows }] } };
  return { type: 'interactive', interactive };
}
