import { cutText } from '../../base/cut-text.ts';
import { GatewayError } from '../../base/errors.ts';
import type { Messenger } from '../../connectors/contract/messenger.ts';
import type { ReplyTo } from '../../store/messages/message-tables.ts';

/** What is shown of the words of an answered message, in UTF-16 units. */
const MAX_QUOTE = 200;

/** What an agent writes, beside its files. */
export interface Words {
  readonly text: string;
  readonly replyTo: ReplyTo | null;
  readonly choices: readonly string[] | null;
}

/**
 * Returns the text as it is sent: with the quoted words in front where the platform cannot show what a message answers, and
 * with a list of the choices where it has no buttons. `isKnown`: the platform has told the id of the answered message.
 */
export function composedText(
  messenger: Messenger,
  { text, replyTo, choices }: Words,
  isKnown = true,
): string {
  const isShown = messenger.quotes === true && isKnown;
  const quote = replyTo === null || isShown ? '' : quoted(replyTo);
  const list = choices === null || messenger.choices ? [] : choices.map((choice, n) => `${n + 1}. ${choice}`);
  return [quote, text, list.join('\n')].filter((part) => part !== '').join('\n\n');
}

/** Throws `capability_missing` for choices that the platform does not take. */
export function checkChoices(
  platform: string,
  { choices: offers }: Messenger,
  choices: readonly string[],
): void {
  if (!offers) return;
  const { most, longest } = offers;
  if (choices.length > most)
    throw new GatewayError(
      'capability_missing',
      `At most ${most} choices fit on ${platform}: ${choices.length}`,
    );
  const long = choices.find((choice) => [...choice].length > longest);
  if (long !== undefined)
    throw new GatewayError(
      'capability_missing',
      `A choice has at most ${longest} characters on ${platform}: "${long}"`,
    );
}

/** A line of Markdown; '' for a message without words. */
function quoted({ author, text }: ReplyTo): string {
  const words = text.replace(/\s+/g, ' ').trim();
  if (words === '') return '';
  const short = words.length > MAX_QUOTE ? `${cutText(words, MAX_QUOTE - 1)}…` : words;
  return `> ${author === null ? '' : `${author}: `}${short}`;
}
