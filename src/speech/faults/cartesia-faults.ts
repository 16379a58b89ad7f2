import type { SpeechFault, SpeechFaultKind } from '../speech-fault.ts';
import type { SpeechPreset } from '../speech-preset.ts';
import { faultKindOfStatus, type Refusal, type VendorEndpoint } from '../vendor-connection.ts';
import { numberAt, readMessage, textAt, type VendorMessage } from '../vendor-message.ts';

/** The first version with structured errors. It decides the shape of everything else as well. */
const CARTESIA_VERSION = '2026-03-01';
const MODEL_ADVICE = 'Choose another model in the voice config.';

const CODES: readonly (readonly [RegExp, SpeechFaultKind])[] = [
  [/quota|credit|payment/, 'out_of_funds'],
  [/concurrency|rate_limit/, 'rate_limited'],
  [/^model_/, 'refused'],
];
/** Protocol error, wrong data, policy, too big: the same would be refused again. */
const REFUSED_CODES: ReadonlySet<number> = new Set([1002, 1003, 1007, 1008, 1009]);

/** Where a Cartesia socket is. https://docs.cartesia.ai/use-the-api/api-errors */
export function cartesiaEndpoint(url: string, { key }: SpeechPreset): VendorEndpoint {
  const headers = { Authorization: `Bearer ${key}`, 'Cartesia-Version': CARTESIA_VERSION };
  return { url, headers, key, faultOfRefusal, faultOfClose };
}

/** Reads a message of type `error`. */
export function faultOfError(message: VendorMessage): SpeechFault {
  return faultOf(message, numberAt(message, 'status_code') ?? 500, '');
}

/** Older versions, and proxies, answer in plain text. */
function faultOfRefusal({ status, body }: Refusal): SpeechFault {
  const error = readMessage(body);
  return faultOf(error ?? {}, status, error ? '' : body);
}

function faultOfClose(code: number, reason: string): SpeechFault {
  const words = reason || `Cartesia closed the connection (${code})`;
  return { kind: REFUSED_CODES.has(code) ? 'refused' : 'unreachable', words };
}

function faultOf(error: VendorMessage, status: number, otherWords: string): SpeechFault {
  const code = textAt(error, 'error_code') ?? '';
  const said = [textAt(error, 'title'), textAt(error, 'message')].filter((part) => part).join(': ');
  const words = said || otherWords || `Cartesia answered ${status}`;
  const kind = CODES.find(([pattern]) => pattern.test(code))?.[1] ?? kindOfStatus(status);
  return { kind, words: code.startsWith('model_') ? `${MODEL_ADVICE} ${words}` : words };
}

/** 403: the plan lacks what was asked for. A wrong key is 401. */
function kindOfStatus(status: number): SpeechFaultKind {
  return status === 403 ? 'refused' : faultKindOfStatus(status);
}
