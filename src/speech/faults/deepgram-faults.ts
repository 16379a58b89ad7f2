import type { SpeechFault, SpeechFaultKind } from '../speech-fault.ts';
import type { SpeechPreset } from '../speech-preset.ts';
import { faultKindOfStatus, type Refusal, type VendorEndpoint } from '../vendor-connection.ts';
import { readMessage, textAt, type VendorMessage } from '../vendor-message.ts';

/** Close codes after which the same request would be refused again: a wrong frame, bad data, too big. */
const REFUSED_CODES: ReadonlySet<number> = new Set([1003, 1007, 1008, 1009]);

/** Where a Deepgram socket is. https://developers.deepgram.com/docs/errors */
export function deepgramEndpoint(url: string, { key }: SpeechPreset): VendorEndpoint {
  return { url, headers: { Authorization: `Token ${key}` }, key, faultOfRefusal, faultOfClose };
}

/** Reads a message of type `Error`. */
export function faultOfError(message: VendorMessage): SpeechFault {
  const words = wordsOf(message);
  return { kind: 'unreachable', words: words === '' ? 'Deepgram reported an error' : words };
}

function faultOfRefusal({ status, headers, body }: Refusal): SpeechFault {
  const error = readMessage(body) ?? {};
  const dgError = headers['dg-error'];
  const words = wordsOf(error) || (typeof dgError === 'string' ? dgError : '');
  return { kind: kindOf(status), words: words || `Deepgram answered ${status}` };
}

/** 403: the project lacks the model. A wrong key is 401. */
function kindOf(status: number): SpeechFaultKind {
  return status === 403 ? 'refused' : faultKindOfStatus(status);
}

function faultOfClose(code: number, reason: string): SpeechFault {
  const words = reason || `Deepgram closed the connection (${code})`;
  return { kind: REFUSED_CODES.has(code) ? 'refused' : 'unreachable', words };
}

/** Older answers have `err_msg`, newer ones `message`; messages have `description`, and `message` is what we had sent. */
function wordsOf(error: VendorMessage): string {
  const words = textAt(error, 'err_msg') ?? textAt(error, 'description') ?? textAt(error, 'message');
  const code =
    textAt(error, 'err_code') ??
    textAt(error, 'category') ??
    textAt(error, 'code') ??
    textAt(error, 'variant');
  return [code, words].filter((part) => part).join(': ');
}
