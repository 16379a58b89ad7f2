/** Bytes inspected: the first line of a request, and the head of a response up to the topmost Via. */
const MAX_REQUEST_LINE_BYTES = 512;
const MAX_VIA_BYTES = 2_048;
const MAX_BLANK_BYTES = 8;
/** Our own branches have 24 characters after the cookie. */
const MAX_BRANCH_CHARACTERS = 64;
const BRANCH_COOKIE = 'z9hG4bK';
const RESPONSE = Buffer.from('SIP/2.0 ');

/** The names that prove that a message belongs to us. */
export interface KnownNames {
  /** Whether this is the user part of one of our Contacts. */
  contactUser(user: string): boolean;
  /** Whether this is the branch of a request of ours that is waiting for a response. */
  branch(branch: string): boolean;
}

/**
 * Decides from a bounded number of bytes whether to parse a stranger's message. Providers may call from addresses other
 * than their registrar's, so a request is admitted if it names our Contact, and a response if it answers a request of
 * ours. Outsiders can guess neither.
 */
export function admitsStranger(bytes: Buffer, known: KnownNames): boolean {
  const start = blankBytes(bytes);
  const isResponse = RESPONSE.compare(bytes, start, Math.min(start + RESPONSE.length, bytes.length)) === 0;
  return isResponse
    ? known.branch(firstBranch(bytes.subarray(start, start + MAX_VIA_BYTES)))
    : known.contactUser(requestedUser(bytes.subarray(start, start + MAX_REQUEST_LINE_BYTES)));
}

function blankBytes(bytes: Buffer): number {
  let count = 0;
  while (count < MAX_BLANK_BYTES && (bytes[count] === 13 || bytes[count] === 10)) count += 1;
  return count;
}

/** Returns the user part of the Request-URI; empty when there is none. */
function requestedUser(bytes: Buffer): string {
  const lineEnd = bytes.indexOf('\r\n');
  if (lineEnd < 0) return '';
  const line = bytes.toString('latin1', 0, lineEnd);
  const scheme = /^[A-Z]{1,16} sips?:/i.exec(line)?.[0].length ?? line.length;
  const at = line.indexOf('@', scheme);
  return at < 0 ? '' : line.slice(scheme, at).split(/[:;]/, 1)[0]!;
}

/** Returns the first branch in the head; empty when there is none. A response to us has a single Via. */
function firstBranch(bytes: Buffer): string {
  const at = bytes.indexOf(BRANCH_COOKIE);
  if (at < 0) return '';
  return /^[A-Za-z0-9]+/.exec(bytes.toString('latin1', at, at + MAX_BRANCH_CHARACTERS))?.[0] ?? '';
}
