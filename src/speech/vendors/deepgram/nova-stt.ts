import type { AudioFormat } from '../../audio-format.ts';
import type { SpeechPreset } from '../../speech-preset.ts';
import { type Heard, numbersOf } from '../../stt/heard.ts';
import type { DialectParts, HeardSoFar, Reading, SttDialect } from '../../stt/stream-recognizer.ts';
import {
  isTrueAt,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
  type VendorMessage,
} from '../../vendor-message.ts';
import { socketUrl } from '../../vendor-url.ts';
import { faultOfMessage } from '../vendor-manners.ts';
import { DEEPGRAM } from './deepgram-manners.ts';

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
export function nova({ preset, format }: DialectParts): SttDialect {
  return {
    url: urlOf(preset, format),
    chunkMs: 40,
    isPaced: false,
    keepAlive: { afterMs: KEEP_ALIVE_MS, message: KEEP_ALIVE },
    separator: ' ',
    showsSettled: true,
    read,
    flush: () => FINALIZE,
    farewell: () => [CLOSE_STREAM],
  };
}

function read(message: VendorMessage, soFar: HeardSoFar): Reading | null {
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

function urlOf({ url, options }: SpeechPreset, { encoding, sampleRateHz }: AudioFormat): string {
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
