import type { AudioFormat } from '../../audio-format.ts';
import type { SpeechPreset } from '../../speech-preset.ts';
import { numbersOf } from '../../stt/heard.ts';
import type { DialectParts, HeardSoFar, Open, Reading, SttDialect } from '../../stt/stream-recognizer.ts';
import { isTrueAt, numberAt, objectsAt, textAt, textsAt, type VendorMessage } from '../../vendor-message.ts';
import { socketUrl } from '../../vendor-url.ts';
import { faultOfMessage } from '../vendor-manners.ts';
import { DEEPGRAM } from './deepgram-manners.ts';

/** Flux knows no keep-alive message. */
const SILENCE_MS = 4_000;
/** Enough silence for Flux to find the end of most turns. */
const PAUSE_MS = 1_000;
const CLOSE_STREAM = '{"type":"CloseStream"}';
/** The only things that Flux redacts. */
const REDACTED: readonly string[] = ['numbers', 'aggressive_numbers'];

/**
 * Deepgram's Flux models, which find turns themselves. Each message has the whole turn so far.
 *
 * Source: https://developers.deepgram.com/reference/speech-to-text/listen-flux
 */
export function flux({ preset, format }: DialectParts): SttDialect {
  return {
    url: urlOf(preset, format),
    chunkMs: 80,
    isPaced: false,
    keepAlive: { afterMs: SILENCE_MS },
    separator: null,
    read,
    flush: () => PAUSE_MS,
    farewell: () => [CLOSE_STREAM],
  };
}

function read(message: VendorMessage, soFar: HeardSoFar): Reading | null {
  const type = textAt(message, 'type');
  if (type === 'Error') return { fault: faultOfMessage(DEEPGRAM, message) };
  if (type !== 'TurnInfo') return null;
  const turn = readTurn(message, soFar);
  const event = textAt(message, 'event');
  if (event === 'EndOfTurn') return { settledMs: turn.untilMs, settled: turn, isEnd: true };
  return {
    ...(event === 'StartOfTurn' && { turn: 'started' as const }),
    ...(turn.text !== '' && { open: turn }),
  };
}

function readTurn(message: VendorMessage, { backlog }: HeardSoFar): Open {
  const words = objectsAt(message, 'words');
  const heardMs = (seconds: number | null | undefined, name: string): number =>
    backlog.heardMs(1_000 * (seconds ?? numberAt(message, name) ?? 0));
  // Older servers give words no times.
  const fromMs = heardMs(numberAt(words[0] ?? {}, 'start'), 'audio_window_start');
  return {
    fromMs,
    untilMs: heardMs(null, 'audio_window_end'),
    text: (textAt(message, 'transcript') ?? '').trim(),
    startMs: fromMs,
    endMs: heardMs(numberAt(words.at(-1) ?? {}, 'end'), 'audio_window_end'),
    confidences: numbersOf(words, 'confidence'),
    language: textsAt(message, 'languages')[0] ?? null,
    speakers: [],
  };
}

function urlOf({ url, options }: SpeechPreset, { encoding, sampleRateHz }: AudioFormat): string {
  const model = textAt(options, 'model') ?? 'flux-general-en';
  const language = textAt(options, 'language');
  return socketUrl(url, '/v2/listen', {
    model,
    encoding: encoding === 'mulaw' ? 'mulaw' : 'linear16',
    sample_rate: sampleRateHz,
    eot_threshold: numberAt(options, 'eot_threshold'),
    eot_timeout_ms: numberAt(options, 'eot_timeout_ms'),
    // Only this model takes one.
    language_hint: model === 'flux-general-multi' && language !== 'multi' ? language : null,
    numerals: isTrueAt(options, 'numerals'),
    profanity_filter: isTrueAt(options, 'profanity_filter'),
    mip_opt_out: isTrueAt(options, 'mip_opt_out'),
    keyterm: textsAt(options, 'keyterms'),
    redact: textsAt(options, 'redact').filter((each) => REDACTED.includes(each)),
  });
}
