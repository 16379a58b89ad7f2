/** Specification, "Errors": stands for an attachment that is not kept. */
const TOO_LARGE = '[attachment too large]';

/** Most files kept of one message; no platform lets people send more. One stub stands for all further ones. */
export const MAX_INBOUND_FILES = 32;

/** Returns a message's text, followed by a line for each of its attachments that is too large to be kept. */
export function withAttachmentStubs(text: string, tooLarge: number): string {
  const stubs = Array.from({ length: tooLarge }, () => TOO_LARGE);
  return [text, ...stubs].filter((part) => part !== '').join('\n');
}

/** Splits off the files of a message that are kept, and says how many stubs stand for the others. */
export function withinFileLimit<File>(files: readonly File[]): {
  readonly kept: readonly File[];
  readonly stubs: number;
} {
  return { kept: files.slice(0, MAX_INBOUND_FILES), stubs: files.length > MAX_INBOUND_FILES ? 1 : 0 };
}
