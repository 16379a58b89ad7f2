import type { AudioFormat } from '../../audio-format.ts';
import type { SpeechPreset } from '../../speech-preset.ts';
import { type Heard, numbersOf } from '../../stt/heard.ts';
import type { HeardSoFar, Open, Reading, SttVendor } from '../../stt/stream-recognizer.ts';
import { isTrueAt, numberAt, objectsAt, textAt, textsAt, type VendorMessage } from '../../vendor-message.ts';
import { socketUrl } from '../../vendor-url.ts';
import { faultOfMessage } from '../vendor-manners.ts';
import { ASSEMBLYAI } from './assemblyai-manners.ts';

const DEFAULT_MODEL = 'universal-streaming-english';
/** These models have turns formatted on demand; the others always do it, and do not know the option. */
const FORMATS_ON_DEMAND = 'universal-streaming';
/** 1,000 at most. */
const MIN_CHUNK_MS = 50;
const BEGIN_DEADLINE_MS = 5_000;
/** The formatted text of a turn comes after its end, normally within 0.3 s. */
const FORMAT_MS = 1_000;
const FORCE_ENDPOINT = '{"type":"ForceEndpoint"}';
const TERMINATE = '{"type":"Terminate"}';
const NONE = -1;
/** A speaker that is not known. */
const UNKNOWN = 'UNKNOWN';

/**
 * Speech-to-text by AssemblyAI. A session that is not terminated is billed for three hours. A turn is settled with its
 * end, although its text may be formatted later.
 *
 * Source: https://www.assemblyai.com/docs/api-reference/streaming-api
 */
export const assemblyAiStt: SttVendor = {
  manners: ASSEMBLYAI,
  ratesHz: [16_000, 24_000, 48_000],
  newDialect: ({ preset, format }) => {
    const isFormatted = formatsTurns(preset);
    /** The last turn that has ended. Each connection numbers them anew. */
    let lastOrder = NONE;

    function readTurn(message: VendorMessage, { backlog }: HeardSoFar): Reading | null {
      const order = numberAt(message, 'turn_order') ?? 0;
      const words = wordsOf(message, (vendorMs) => backlog.heardMs(vendorMs));
      if (!isTrueAt(message, 'end_of_turn'))
        return order <= lastOrder || words.length === 0
          ? null
          : { turn: 'started', open: openTurn(message, words) };
      if (order < lastOrder) return null;
      const isAgain = order === lastOrder;
      lastOrder = order;
      const settled = turnOf(message, words);
      const isWhole = !isFormatted || isTrueAt(message, 'turn_is_formatted');
      // A turn without words, as after a request to end it, covers nothing.
      const end = { turn: 'ended', settledMs: settled.endMs, settled, isAgain } as const;
      return isWhole ? { ...end, isEnd: true } : { ...end, waitMs: FORMAT_MS };
    }

    return {
      url: urlOf(preset, format),
      chunkMs: 100,
      isPaced: true,
      minChunkMs: MIN_CHUNK_MS,
      keepAlive: null,
      separator: null,
      beginDeadlineMs: BEGIN_DEADLINE_MS,
      read: (message, soFar) => {
        // Older errors have no type.
        if (textAt(message, 'error') !== null) return { fault: faultOfMessage(ASSEMBLYAI, message) };
        switch (textAt(message, 'type') ?? '') {
          case 'Begin':
            return { begins: true };
          case 'SpeechStarted':
            return { turn: 'started' };
          case 'Turn':
            return readTurn(message, soFar);
          case 'Termination':
            return { isLast: true };
          default:
            return null;
        }
      },
      flush: () => FORCE_ENDPOINT,
      farewell: () => [TERMINATE],
      reset: () => {
        lastOrder = NONE;
      },
    };
  },
};

interface Word {
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
}

function wordsOf(message: VendorMessage, heardMs: (vendorMs: number) => number): Word[] {
  return objectsAt(message, 'words').map((word) => ({
    text: textAt(word, 'text') ?? '',
    startMs: Math.round(heardMs(numberAt(word, 'start') ?? 0)),
    endMs: Math.round(heardMs(numberAt(word, 'end') ?? 0)),
  }));
}

/** `transcript` is what is settled: at the end of the turn, all of it. */
function turnOf(message: VendorMessage, words: readonly Word[]): Heard {
  const speaker = textAt(message, 'speaker_label');
  return {
    text: (textAt(message, 'transcript') ?? '').trim(),
    startMs: words[0]?.startMs ?? null,
    endMs: words.at(-1)?.endMs ?? null,
    confidences: numbersOf(objectsAt(message, 'words'), 'confidence'),
    language: textAt(message, 'language_code'),
    speakers: speaker === null || speaker === UNKNOWN ? [] : [speaker],
  };
}

/** Returns the turn as if it had only these of its words, which are not all settled. */
function openTurn(message: VendorMessage, words: readonly Word[]): Open {
  return {
    ...turnOf(message, words),
    text: words.map(({ text }) => text).join(' '),
    fromMs: words[0]?.startMs ?? 0,
    untilMs: words.at(-1)?.endMs ?? 0,
    before: (heardMs) => {
      const gone = words.filter(({ startMs }) => startMs < heardMs);
      return gone.length === 0 ? null : openTurn(message, gone);
    },
  };
}

function modelOf({ options }: SpeechPreset): string {
  return textAt(options, 'model') ?? DEFAULT_MODEL;
}

function formatsTurns(preset: SpeechPreset): boolean {
  return modelOf(preset).startsWith(FORMATS_ON_DEMAND) && preset.options.format_turns !== false;
}

function urlOf(preset: SpeechPreset, { encoding, sampleRateHz }: AudioFormat): string {
  const { url, options } = preset;
  const isFormattedOnDemand = modelOf(preset).startsWith(FORMATS_ON_DEMAND);
  // AssemblyAI changes its default now and then.
  return socketUrl(url, '/v3/ws', {
    speech_model: modelOf(preset),
    encoding: encoding === 'mulaw' ? 'pcm_mulaw' : 'pcm_s16le',
    sample_rate: sampleRateHz,
    format_turns: isFormattedOnDemand ? formatsTurns(preset) : null,
    end_of_turn_confidence_threshold: isFormattedOnDemand
      ? numberAt(options, 'end_of_turn_confidence_threshold')
      : null,
    min_turn_silence: numberAt(options, 'min_turn_silence'),
    max_turn_silence: numberAt(options, 'max_turn_silence'),
    vad_threshold: numberAt(options, 'vad_threshold'),
    filter_profanity: isTrueAt(options, 'filter_profanity') || null,
    speaker_labels: isTrueAt(options, 'speaker_labels') || null,
    max_speakers: isTrueAt(options, 'speaker_labels') ? numberAt(options, 'max_speakers') : null,
    keyterms_prompt: jsonOf(textsAt(options, 'keyterms')),
    language_codes: isFormattedOnDemand ? null : jsonOf(textsAt(options, 'languages')),
    prompt: isFormattedOnDemand ? null : textAt(options, 'prompt'),
  });
}

/** A list is one parameter, as JSON. */
function jsonOf(list: readonly string[]): string | null {
  return list.length === 0 ? null : JSON.stringify(list);
}
