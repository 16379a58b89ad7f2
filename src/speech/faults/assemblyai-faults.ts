import type { SpeechFault, SpeechFaultKind } from '../speech-fault.ts';
import type { SpeechPreset } from '../speech-preset.ts';
import { faultKindOfStatus, type Refusal, type VendorEndpoint } from '../vendor-connection.ts';
import { numberAt, readMessage, textAt, type VendorMessage } from '../vendor-message.ts';

/** Codes of `Error` messages, with which the connection is then closed. Those from 4000 on are older. */
const KINDS: ReadonlyMap<number, SpeechFaultKind> = new Map([
  [1008, 'bad_key'],
  [3006, 'refused'],
  [3008, 'session_cap'],
  [3009, 'rate_limited'],
  [4000, 'refused'],
  [4001, 'bad_key'],
  [4002, 'out_of_funds'],
  [4003, 'out_of_funds'],
  [4008, 'session_cap'],
  [4029, 'rate_limited'],
  [4031, 'session_cap'],
  [4101, 'refused'],
  [4102, 'rate_limited'],
]);
/** 1008 and 3005 also stand for other faults, which only their words tell. */
const AMBIGUOUS: ReadonlySet<number> = new Set([1008, 3005]);
const WORDS: readonly (readonly [RegExp, SpeechFaultKind])[] = [
  [/balance|funds|credit|billing|top up/i, 'out_of_funds'],
  [/concurrent|too many|rate limit/i, 'rate_limited'],
  [/session expired/i, 'session_cap'],
];

/** Where an AssemblyAI socket is. https://www.assemblyai.com/docs/streaming/common-session-errors-and-closures */
export function assemblyAiEndpoint(url: string, { key }: SpeechPreset): VendorEndpoint {
  // The key alone: with a scheme, all of it would count as the key.
  return { url, headers: { Authorization: key }, key, faultOfRefusal, faultOfClose };
}

/** Reads an `Error` message. A wrong key is reported by one, after the connection has been accepted. */
export function faultOfError(message: VendorMessage): SpeechFault {
  const code = numberAt(message, 'error_code') ?? 0;
  return {
    kind: kindOf(code, wordsOf(message)),
    words: wordsOf(message) || `AssemblyAI reported error ${code}`,
  };
}

function faultOfRefusal({ status, body }: Refusal): SpeechFault {
  const words = wordsOf(readMessage(body) ?? {});
  return { kind: faultKindOfStatus(status), words: words || `AssemblyAI answered ${status}` };
}

function faultOfClose(code: number, reason: string): SpeechFault {
  return { kind: kindOf(code, reason), words: reason || `AssemblyAI closed the connection (${code})` };
}

function kindOf(code: number, words: string): SpeechFaultKind {
  const told = AMBIGUOUS.has(code) ? WORDS.find(([pattern]) => pattern.test(words))?.[1] : undefined;
  return told ?? KINDS.get(code) ?? 'unreachable';
}

function wordsOf(message: VendorMessage): string {
  return textAt(message, 'error') ?? '';
}
