import { GatewayError } from '../../../src/base/errors.ts';

/** The vendor's limit, in UTF-16 units. */
const MAX_TEXT = 2_000;

/** Throws `send_failed` when the vendor would refuse the text for its length. */
export function checkText(text: string): void {
  if (text.length <= MAX_TEXT) return;
  const reason = `the message is too long: ${text.length} characters, at most ${MAX_TEXT}`;
  throw new GatewayError('send_failed', `Failed to send message: ${reason}`);
}
