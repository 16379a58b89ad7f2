import { GatewayError } from '../../base/errors.ts';

/** Throws GatewayError `send_failed` for a text of `count` characters, if `platform` takes at most `most`. */
export function checkTextLength(platform: string, count: number, most: number, what = 'message'): void {
  if (count <= most) return;
  const reason = `the ${what} is too long for ${platform}: ${count} characters, at most ${most}`;
  throw new GatewayError('send_failed', `Failed to send message: ${reason}`);
}

/** Counts the code points of a text, which Discord and Telegram call characters. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
