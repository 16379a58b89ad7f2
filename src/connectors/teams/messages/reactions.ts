/** The types that have names (https://learn.microsoft.com/microsoftteams/platform/bots/how-to/conversations/subscribe-to-conversation-events#message-reaction-events). */
const NAMED: Readonly<Record<string, string>> = {
  like: '👍',
  heart: '❤️',
  laugh: '😆',
  surprised: '😮',
  sad: '😢',
  angry: '😠',
};
const SELECTOR = /\ufe0f/g;
/** `1f44b_wavinghand-tone4`: code points, and a name. */
const CODED = /^([0-9a-f]{4,6}(?:-[0-9a-f]{4,6})*)_/;

/** Returns the emoji of a type of reaction; one without an emoji keeps its name. */
export function emojiOfType(type: string): string {
  const [, points] = CODED.exec(type) ?? [];
  if (points === undefined) return NAMED[type] ?? type;
  const codes = points.split('-').map((point) => Number.parseInt(point, 16));
  return codes.every((code) => code <= 0x10_ff_ff) ? String.fromCodePoint(...codes) : type;
}

/** Returns the type of an emoji, or what was given: Teams refuses a type that it does not have. */
export function typeOfEmoji(emoji: string): string {
  const plain = emoji.replace(SELECTOR, '');
  const found = Object.entries(NAMED).find(([, named]) => named.replace(SELECTOR, '') === plain);
  return found?.[0] ?? emoji;
}
