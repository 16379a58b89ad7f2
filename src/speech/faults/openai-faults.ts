import type { IncomingMessage } from 'node:http';
import type { SpeechFault, SpeechFaultKind } from '../speech-fault.ts';
import { objectAt, readMessage, textAt } from '../vendor-message.ts';
import { errorBody } from '../vendor-requests.ts';
import { vendorWords } from '../vendor-words.ts';

/** Advice where OpenAI's own words give none. */
const MODEL_ADVICE = 'Choose another model in the voice config.';
const FUNDS_CODES: ReadonlySet<string> = new Set([
  'insufficient_quota',
  'billing_hard_limit_reached',
  'billing_not_active',
]);
/** OpenAI repeats the start and the end of a wrong key. */
const PART_OF_KEY = /\bsk-[\w*-]+/g;

/** A response other than 2xx, as a fault and what else the caller may need. */
export interface OpenAiRefusal {
  readonly fault: SpeechFault;
  readonly status: number;
  /** OpenAI's error code, '' if there is none. */
  readonly code: string;
  /** What OpenAI asks the client to wait. Null if it does not say. */
  readonly retryAfterMs: number | null;
}

/** Reads the body of a response that is not 2xx. */
export async function readRefusal(response: IncomingMessage, key: string): Promise<OpenAiRefusal> {
  const { statusCode: status = 0, headers } = response;
  const error = objectAt(readMessage(await errorBody(response)) ?? {}, 'error');
  const code = textAt(error, 'code') ?? textAt(error, 'type') ?? '';
  const said = textAt(error, 'message') ?? `HTTP status ${status}`;
  const words = code === 'model_not_found' || status === 404 ? `${MODEL_ADVICE} ${said}` : said;
  const fault = { kind: kindOf(status, code), words: vendorWords(words.replace(PART_OF_KEY, '[key]'), key) };
  return { fault, status, code, retryAfterMs: secondsIn(headers['retry-after']) };
}

/** Returns the fault of a request that got no response, or only part of it. */
export function faultOfFailure(error: Error & { readonly code?: string }): SpeechFault {
  return { kind: 'unreachable', words: `The request failed: ${error.code ?? error.message}` };
}

function kindOf(status: number, code: string): SpeechFaultKind {
  if (status === 402 || FUNDS_CODES.has(code)) return 'out_of_funds';
  if (status === 401) return 'bad_key';
  if (status === 429) return 'rate_limited';
  return status === 408 || status >= 500 ? 'unreachable' : 'refused';
}

function secondsIn(header: string | undefined): number | null {
  const seconds = Number(header ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : null;
}
