import type { AudioFormat } from '../../audio-format.ts';
import type { SpeechFault } from '../../speech-fault.ts';
import { numberAt, readMessage, textAt, type VendorMessage } from '../../vendor-message.ts';
import { faultOfStatus, joined, type VendorManners } from '../vendor-manners.ts';

/** The first version with structured errors. It decides the shape of everything else as well. */
const CARTESIA_VERSION = '2026-03-01';
/** Cartesia closes a connection after 3 minutes. */
export const KEEP_ALIVE = { afterMs: 60_000 };
const MODEL_ADVICE = 'Choose another model in the voice config.';

/** https://docs.cartesia.ai/use-the-api/api-errors */
export const CARTESIA: VendorManners = {
  title: 'Cartesia',
  headers: (key) => ({ Authorization: `Bearer ${key}`, 'Cartesia-Version': CARTESIA_VERSION }),
  errorIn: (body) => {
    const code = textAt(body, 'error_code') ?? '';
    const words = joined([textAt(body, 'title'), textAt(body, 'message')]);
    return { code, words: code.startsWith('model_') ? `${MODEL_ADVICE} ${words}`.trim() : words };
  },
  kinds: [
    [/^\w*(?:quota|credit|payment)/, 'out_of_funds'],
    [/^\w*(?:concurrency|rate_limit)/, 'rate_limited'],
    [/^model_/, 'refused'],
    // Protocol error, wrong data, policy, too big: the same would be refused again.
    [/^(?:1002|1003|1007|1008|1009) /, 'refused'],
  ],
  // The plan lacks what was asked for. A wrong key is 401.
  forbidden: 'refused',
  // Older versions, and proxies, answer in plain text.
  otherWords: ({ body }) => (readMessage(body) === null ? body : ''),
};

/** Reads a message of type `error`. */
export function faultOfError(message: VendorMessage): SpeechFault {
  return faultOfStatus(CARTESIA, message, numberAt(message, 'status_code') ?? 500);
}

export function encodingOf({ encoding }: AudioFormat): string {
  return encoding === 'mulaw' ? 'pcm_mulaw' : 'pcm_s16le';
}
