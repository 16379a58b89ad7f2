import type * as z from 'zod';
import type { KeyStatus } from '../../store/speech/speech-tables.ts';
import { type VendorAnswer, VendorFailed, VendorRefused } from './ask-vendor.ts';
import type { KeyVerdict } from './provider.ts';

/** An error as a provider words it. Both are '' if it is not in the provider's format. */
export interface VendorError {
  readonly code: string;
  readonly words: string;
}

/** What the codes of a provider mean for a key, whatever the status. */
export type CodeMeanings = Readonly<Record<string, Exclude<KeyStatus, 'valid' | 'not_needed'>>>;

/** How a provider's answers tell the state of a key. */
export interface KeyManners {
  readonly readError: (body: unknown) => VendorError;
  readonly codes: CodeMeanings;
}

const BY_STATUS: Readonly<Record<number, CodeMeanings[string]>> = {
  401: 'invalid',
  402: 'out_of_funds',
  403: 'limited_scope',
};

const VALID: KeyVerdict = { status: 'valid', detail: null };

/**
 * Returns what an answer says of the key. Throws VendorFailed when it says nothing: rate limits, faults, redirects, and
 * pages of something in front of the provider, which may also answer 403.
 */
export function verdictOf({ status, body }: VendorAnswer, { readError, codes }: KeyManners): KeyVerdict {
  if (status === 200 && typeof body === 'object' && body !== null) return VALID;
  const { code, words } = readError(body);
  const meaning = Object.hasOwn(codes, code) ? codes[code] : BY_STATUS[status];
  const isUnderstood = words !== '' && status >= 400 && status < 500;
  if (meaning === undefined || !isUnderstood) throw new VendorFailed(failureText(status, words));
  return { status: meaning, detail: words };
}

/** Reads the body of an answer. Throws VendorRefused when it refuses the key, otherwise VendorFailed. */
export function bodyOf<Schema extends z.ZodType>(
  schema: Schema,
  answer: VendorAnswer,
  manners: KeyManners,
): z.output<Schema> {
  const { status, detail } = verdictOf(answer, manners);
  if (status !== 'valid') throw new VendorRefused(detail ?? '');
  const { data, success } = schema.safeParse(answer.body);
  if (!success) throw new VendorFailed('its answer is unusable');
  return data;
}

function failureText(status: number, words: string): string {
  return `it answered HTTP status ${status}${words === '' ? '' : `: ${words}`}`;
}
