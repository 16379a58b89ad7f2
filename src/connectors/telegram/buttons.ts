import type { OffersChoices } from '../contract/messenger.ts';

/** Telegram takes 100 buttons; a phone shows about 30 characters of one that has its row for itself. */
export const CHOICES: OffersChoices = { most: 100, longest: 64 };

/** https://core.telegram.org/bots/api#inlinekeyboardbutton */
const MAX_DATA_BYTES = 64;
const WITH_LABEL = '=';

/** Returns the keyboard below a text: a button in each row. */
export function keyboardOf(choices: readonly string[]): object {
  return {
    inline_keyboard: choices.map((text, n) => {
      const data = `${WITH_LABEL}${text}`;
      return [{ text, callback_data: Buffer.byteLength(data) > MAX_DATA_BYTES ? `#${n}` : data }];
    }),
  };
}

/** Returns the label in a button's data: of an old message, nothing else is told. Null: it is not there. */
export function labelIn(data: string): string | null {
  return data.startsWith(WITH_LABEL) ? data.slice(WITH_LABEL.length) : null;
}
