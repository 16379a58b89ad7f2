import { emojiToName, nameToEmoji } from 'gemoji';

/** `:thumbsup:`, and `thumbsup::skin-tone-2`. */
const NAME = /^:?([a-z0-9_+'-]{1,100})(?:::skin-tone-[2-6])?:?$/;
const SELECTORS = /[\ufe0f\u{1f3fb}-\u{1f3ff}]/gu;
const SELECTOR = '\ufe0f';

/** Returns the emoji that Slack names; a workspace's own keeps its name. */
export function emojiNamed(name: string): string {
  const [, plain = name] = NAME.exec(name) ?? [];
  return Object.hasOwn(nameToEmoji, plain) ? nameToEmoji[plain]! : plain;
}

/** Returns Slack's name of an emoji, or the name that was given. */
export function emojiName(emoji: string): string {
  const plain = emoji.replace(SELECTORS, '');
  return emojiToName[plain] ?? emojiToName[`${plain}${SELECTOR}`] ?? NAME.exec(emoji)?.[1] ?? emoji;
}
