import { GatewayError } from '../../../base/errors.ts';
import { toMarkdown } from './markdown.ts';

/** Specification, "Limits": about 28,000 characters, 40 KB in UTF-16. */
const MAX_CHARACTERS = 28_000;
const MAX_BYTES = 40 * 1_024;
const BYTES_PER_UNIT = 2;

/** Throws GatewayError `send_failed` when a text is too long for Teams, as it is sent. */
export function checkLength(text: string): void {
  const { length } = toMarkdown(text);
  if (length <= MAX_CHARACTERS && length * BYTES_PER_UNIT <= MAX_BYTES) return;
  const reason = `the message is too long for Teams: ${length} characters, at most ${MAX_CHARACTERS} and ${MAX_BYTES} bytes in UTF-16`;
  throw new GatewayError('send_failed', `Failed to send message: ${reason}`);
}
