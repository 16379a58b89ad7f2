import { cutText } from '../base/cut-text.ts';

/** What kind of fault a vendor has. All but the last three end the session: trying again cannot help. */
export type SpeechFaultKind =
  | 'bad_key'
  | 'out_of_funds'
  | 'refused'
  | 'rate_limited'
  | 'session_cap'
  | 'unreachable';

/** A fault of a vendor's speech service. */
export interface SpeechFault {
  readonly kind: SpeechFaultKind;
  /** The vendor's words, without secrets, at most 300 characters. */
  readonly words: string;
}

export function isTemporary({ kind }: SpeechFault): boolean {
  return kind === 'rate_limited' || kind === 'session_cap' || kind === 'unreachable';
}

const MAX_CHARACTERS = 300;
const HIDDEN = '[key]';

/** Returns what a vendor said as one line that can be shown: without the key, which some vendors repeat. */
export function vendorWords(words: string, key: string): string {
  const safe = key === '' ? words : words.replaceAll(key, HIDDEN);
  return cutText(safe.replace(/[\s\p{Cc}]+/gu, ' ').trim(), MAX_CHARACTERS);
}
