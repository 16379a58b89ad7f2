import type { AudioFormat } from '../../audio-format.ts';
import type { SpeechPreset } from '../../speech-preset.ts';
import { type Heard, numbersOf } from '../../stt/heard.ts';
import type {
  DialectParts,
  HeardSoFar,
  Open,
  Reading,
  SttDialect,
  SttVendor,
} from '../../stt/stream-recognizer.ts';
import {
  isTrueAt,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
  type VendorMessage,
} from '../../vendor-message.ts';
import { faultOfMessage, socketUrl } from '../vendor-manners.ts';
import { DEEPGRAM } from './deepgram-manners.ts';

/** Speech-to-text by Deepgram. The model decides the endpoint: only flux finds turns. */
export const deepgramStt: SttVendor = {
  manners: DEEPGRAM,
  ratesHz: [16_000, 24_000, 48_000],
  newDialect: (parts) =>
    textAt(parts.preset.options, 'model')?.startsWith('flux') ? flux(parts) : nova(parts),
};

const KEEP_ALIVE_MS = 4_000;
/** These have to be text messages: Deepgram takes a binary one for audio. */
const KEEP_ALIVE = '{"type":"KeepAlive"}';
const FINALIZE = '{"type":"Finalize"}';
const CLOSE_STREAM = '{"type":"CloseStream"}';

/**
 * Deepgram's nova models. A settled result (`is_final`) extends the utterance, and the end of speech (`speech_final`,
 * `UtteranceEnd`) reports it.
 *
 * Source: https://developers.deepgram.com/reference/speech-to-text/listen-streaming
 */
function nova({ preset, format }: DialectParts): SttDialect {
  return {
    url: novaUrl(preset, format),
    chunkMs: 40,
    isPaced: false,
    keepAlive: { afterMs: KEEP_ALIVE_MS, message: KEEP_ALIVE },
    separator: ' ',
    showsSettled: true,
    read: readNova,
    flush: () => FINALIZE,
    farewell: () => [CLOSE_STREAM],
  };
}

function readNova(message: VendorMessage, soFar: HeardSoFar): Reading | null {
  switch (textAt(message, 'type') ?? '') {
    case 'Results':
      return readResult(message, soFar);
    case 'UtteranceEnd':
      // Often comes after `speech_final`, when there is nothing left to report.
      return { isEnd: true };
    case 'Error':
      return { fault: faultOfMessage(DEEPGRAM, message) };
    default:
      return null;
  }
}

/** Reads the best alternative. */
function readResult(message: VendorMessage, { backlog }: HeardSoFar): Reading {
  const best = objectsAt(objectAt(message, 'channel'), 'alternatives')[0] ?? {};
  const words = objectsAt(best, 'words');
  const start = numberAt(message, 'start') ?? 0;
  const end = start + (numberAt(message, 'duration') ?? 0);
  const startMs = backlog.heardMs(1_000 * (numbersOf(words.slice(0, 1), 'start')[0] ?? start));
  const untilMs = backlog.heardMs(1_000 * end);
  const heard: Heard = {
    text: (textAt(best, 'transcript') ?? '').trim(),
    startMs,
    endMs: backlog.heardMs(1_000 * (numbersOf(words.slice(-1), 'end')[0] ?? end)),
    confidences: numbersOf(words.length > 0 ? words : [best], 'confidence'),
    speakers: numbersOf(words, 'speaker').map((speaker) => `${speaker}`),
    language: textsAt(best, 'languages')[0] ?? textAt(words[0] ?? {}, 'language'),
  };
  const isEnd = isTrueAt(message, 'speech_final') || isTrueAt(message, 'from_finalize');
  if (isTrueAt(message, 'is_final')) return { settledMs: untilMs, settled: heard, isEnd };
  return { open: { ...heard, fromMs: startMs, untilMs }, isEnd };
}

function novaUrl({ url, options }: SpeechPreset, { encoding, sampleRateHz }: AudioFormat): string {
  const model = textAt(options, 'model') ?? 'nova-3';
  const keyterms = textsAt(options, 'keyterms');
  return socketUrl(url, '/v1/listen', {
    model,
    language: textAt(options, 'language'),
    encoding: encoding === 'mulaw' ? 'mulaw' : 'linear16',
    sample_rate: sampleRateHz,
    channels: 1,
    interim_results: true,
    endpointing: numberAt(options, 'endpointing') ?? 300,
    utterance_end_ms: numberAt(options, 'utterance_end_ms') ?? 1_000,
    smart_format: options.smart_format !== false,
    punctuate: options.punctuate !== false,
    numerals: isTrueAt(options, 'numerals'),
    profanity_filter: isTrueAt(options, 'profanity_filter'),
    mip_opt_out: isTrueAt(options, 'mip_opt_out'),
    // Streaming takes no later one.
    diarize_model: isTrueAt(options, 'diarize') ? 'v1' : null,
    redact: textsAt(options, 'redact'),
    [model.startsWith('nova-3') ? 'keyterm' : 'keywords']: keyterms,
  });
}

/** Flux knows no keep-alive message. */
const SILENCE_MS = 4_000;
/** Enough silence for Flux to find the end of most turns. */
const PAUSE_MS = 1_000;
/** The only things that Flux redacts. */
const REDACTED: readonly string[] = ['numbers', 'aggressive_numbers'];

/**
 * Deepgram's Flux models, which find turns themselves. Each message has the whole turn so far.
 *
 * Source: https://developers.deepgram.com/reference/speech-to-text/listen-flux
 */
function flux({ preset, format }: DialectParts): SttDialect {
  return {
    url: fluxUrl(preset, format),
    chunkMs: 80,
    isPaced: false,
    keepAlive: { afterMs: SILENCE_MS },
    separator: null,
    read: readFlux,
    flush: () => PAUSE_MS,
    farewell: () => [CLOSE_STREAM],
  };
}

function readFlux(message: VendorMessage, soFar: HeardSoFar): Reading | null {
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

function fluxUrl({ url, options }: SpeechPreset, { encoding, sampleRateHz }: AudioFormat): string {
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
