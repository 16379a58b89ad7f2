import type { SpeechFault, SpeechFaultKind } from '../speech-fault.ts';
import type { SpeechPreset } from '../speech-preset.ts';
import { faultKindOfStatus, type Refusal, type VendorEndpoint } from '../vendor-connection.ts';
import { objectAt, objectsAt, readMessage, textAt, type VendorMessage } from '../vendor-message.ts';

const POLICY_VIOLATION = 1008;

/**
 * Codes of HTTP errors and of messages, and the words of close frames. They have changed over time, some with an `_error`
 * at the end, so what they contain decides.
 */
const KINDS: readonly (readonly [RegExp, SpeechFaultKind])[] = [
  [/quota|credits|payment/, 'out_of_funds'],
  [/api.?key|\bauth(?:entication|orization)?_error|unauthori[sz]ed|missing_permissions/, 'bad_key'],
  [/rate.?limit|concurren|too.?many|busy|max_active|exhausted|overflow|throttled/, 'rate_limited'],
  [/time.?limit|time.?out/, 'session_cap'],
  [/invalid|not.?found|unusual.?activity|unaccepted|input_error|chunk_size|exceeded/, 'refused'],
];

/** Where an ElevenLabs socket is. https://elevenlabs.io/docs/eleven-api/resources/errors */
export function elevenLabsEndpoint(url: string, { key }: SpeechPreset): VendorEndpoint {
  return { url, headers: { 'xi-api-key': key }, key, faultOfRefusal, faultOfClose };
}

/** Reads an error message. `type` is the message's, if it has one; `otherwise` the kind of an unknown error. */
export function faultOfError(message: VendorMessage, type: string, otherwise: SpeechFaultKind): SpeechFault {
  const texts = [type, ...['error', 'message', 'details'].map((name) => textAt(message, name) ?? '')];
  const words = [...new Set(texts)].filter((text) => text !== '').join(': ');
  return { kind: kindOf(words) ?? otherwise, words: words || 'ElevenLabs reported an error' };
}

function faultOfRefusal({ status, body }: Refusal): SpeechFault {
  const { code, words } = readDetail(readMessage(body) ?? {});
  const kind = (code === '' ? null : kindOf(code)) ?? faultKindOfStatus(status);
  return { kind, words: words || `ElevenLabs answered ${status}` };
}

function faultOfClose(code: number, reason: string): SpeechFault {
  const words = reason || `ElevenLabs closed the connection (${code})`;
  const kind = kindOf(reason) ?? (code === POLICY_VIOLATION ? 'refused' : 'unreachable');
  return { kind, words };
}

/** `detail` is an object with a `code` or, in older answers, a `status`; a text; or the list of a failed validation. */
function readDetail(body: VendorMessage): { readonly code: string; readonly words: string } {
  const text = textAt(body, 'detail');
  if (text !== null) return { code: '', words: text };
  const detail = objectsAt(body, 'detail')[0] ?? objectAt(body, 'detail');
  const code = textAt(detail, 'code') ?? textAt(detail, 'status') ?? '';
  const words = textAt(detail, 'message') ?? textAt(detail, 'msg') ?? '';
  return { code, words: [code, words].filter((part) => part !== '').join(': ') };
}

function kindOf(code: string): SpeechFaultKind | null {
  return KINDS.find(([pattern]) => pattern.test(code.toLowerCase()))?.[1] ?? null;
}
