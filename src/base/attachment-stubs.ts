/** Specification, "Errors": stands for an attachment that is not kept. */
const TOO_LARGE = '[attachment too large]';

/** Most files kept of one message; no platform lets people send more. One stub stands for all further ones. */
export const MAX_INBOUND_FILES = 32;

/** Returns a message's text, followed by a line for each of its attachments that is too large to be kept. */
export function withAttachmentStubs(text: string, tooLarge: number): string {
  const stubs = Array.from({ length: tooLarge }, () => TOO_LARGE);
  return [text, ...stubs].filter((part) => part !== '').join('\n');
}
