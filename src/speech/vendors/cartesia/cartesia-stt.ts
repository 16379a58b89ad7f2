import type { AudioFormat } from '../../audio-format.ts';
import type { SpeechPreset } from '../../speech-preset.ts';
import { heard } from '../../stt/heard.ts';
import type {
  DialectParts,
  HeardSoFar,
  Reading,
  SttDialect,
  SttVendor,
} from '../../stt/stream-recognizer.ts';
import { isTrueAt, numberAt, objectsAt, textAt, textsAt, type VendorMessage } from '../../vendor-message.ts';
import { socketUrl } from '../vendor-manners.ts';
import { CARTESIA, encodingOf, faultOfError } from './cartesia-manners.ts';

/** Cartesia closes a connection after 3 minutes. */
const KEEP_ALIVE = { afterMs: 60_000 };
/** How long something may have been spoken before there is text of it. */
const START_DELAY_MS = 1_000;

/** Speech-to-text by Cartesia. The model decides the endpoint: only ink-2 finds turns. */
export const cartesiaStt: SttVendor = {
  manners: CARTESIA,
  ratesHz: [16_000, 24_000, 44_100, 48_000],
  newDialect: (parts) =>
    textAt(parts.preset.options, 'model')?.startsWith('ink-whisper') ? whisper(parts) : ink2(parts),
};

/** Enough silence for most turns to end. */
const PAUSE_MS = 1_000;
/** Cartesia waits for audio, and takes its absence for a slow network. So much silence ends any turn. */
const GAPS = { everyMs: 500, most: 24 };
/** What is said after a pause within this time is not of the turn whose end has just arrived. */
const WAY_MS = 1_000;

/**
 * Cartesia's ink-2, which finds turns itself and knows English only. Each message has the whole turn so far. It tells no
 * times: what is sent counts as heard, but for what was said while the end of a turn was on its way.
 *
 * Source: https://docs.cartesia.ai/api-reference/stt/turns/websocket
 */
function ink2({ preset, format }: DialectParts): SttDialect {
  return {
    url: ink2Url(preset, format),
    chunkMs: 100,
    isPaced: true,
    keepAlive: KEEP_ALIVE,
    separator: null,
    gaps: GAPS,
    read: readInk2,
    flush: () => PAUSE_MS,
    farewell: () => ['{"type":"close"}'],
  };
}

function readInk2(message: VendorMessage, { backlog, open }: HeardSoFar): Reading | null {
  const { sentMs, oldestMs } = backlog;
  const turn = heard((textAt(message, 'transcript') ?? '').trim());
  const fromMs = open?.fromMs ?? Math.max(oldestMs, sentMs - START_DELAY_MS);
  switch (textAt(message, 'type') ?? '') {
    case 'turn.start':
      return { turn: 'started', open: { ...turn, text: '', fromMs, untilMs: null } };
    case 'turn.update':
    case 'turn.eager_end':
      return { turn: 'started', open: { ...turn, fromMs, untilMs: null } };
    case 'turn.end':
      return { settledMs: backlog.pauseEndMs(WAY_MS) ?? sentMs, settled: turn, isEnd: true };
    case 'error':
      return { fault: faultOfError(message) };
    default:
      return null;
  }
}

function ink2Url({ url, options }: SpeechPreset, format: AudioFormat): string {
  return socketUrl(url, '/stt/turns/websocket', {
    model: textAt(options, 'model') ?? 'ink-2',
    encoding: encodingOf(format),
    sample_rate: format.sampleRateHz,
    keyterm: textsAt(options, 'keyterms'),
    turn_end_threshold: numberAt(options, 'turn_end_threshold'),
    turn_end_timeout_ms: numberAt(options, 'turn_end_timeout_ms'),
  });
}

/** Text that was settled by silence, not by our request, is reported when none follows. */
const QUIET_MS = 1_000;

/**
 * Cartesia's ink-whisper, which settles text when it is told to, or after silence. Its texts may end within a word, so
 * they are joined as they are.
 *
 * Source: https://docs.cartesia.ai/api-reference/stt/websocket
 */
function whisper({ preset, format }: DialectParts): SttDialect {
  /** End of the settled audio, in the vendor's time. */
  let vendorMs = 0;

  function readTranscript(message: VendorMessage, { backlog, open }: HeardSoFar): Reading | null {
    const text = textAt(message, 'text') ?? '';
    const language = textAt(message, 'language');
    if (!isTrueAt(message, 'is_final')) {
      const fromMs = open?.fromMs ?? Math.max(backlog.oldestMs, backlog.sentMs - START_DELAY_MS);
      return text === '' ? null : { open: { ...heard(text, { language }), fromMs, untilMs: null } };
    }
    const words = objectsAt(message, 'words');
    const [start, end] = [numberAt(words[0] ?? {}, 'start'), numberAt(words.at(-1) ?? {}, 'end')];
    const startMs = backlog.heardMs(start === null ? vendorMs : 1_000 * start);
    vendorMs = end === null ? vendorMs + 1_000 * (numberAt(message, 'duration') ?? 0) : 1_000 * end;
    const endMs = backlog.heardMs(vendorMs);
    const settled = heard(text, { startMs, endMs, language });
    return { settledMs: endMs, settled, ...(text !== '' && { waitMs: QUIET_MS }) };
  }

  return {
    url: whisperUrl(preset, format),
    chunkMs: 100,
    isPaced: true,
    keepAlive: KEEP_ALIVE,
    separator: '',
    isTimedByAudio: true,
    read: (message, soFar) => {
      switch (textAt(message, 'type') ?? '') {
        case 'transcript':
          return readTranscript(message, soFar);
        case 'flush_done':
          return { isEnd: true };
        case 'done':
          return { isLast: true };
        case 'error':
          return { fault: faultOfError(message) };
        default:
          return null;
      }
    },
    // Bare words, not JSON.
    flush: () => 'finalize',
    farewell: () => ['close'],
    reset: () => {
      vendorMs = 0;
    },
  };
}

function whisperUrl({ url, options }: SpeechPreset, format: AudioFormat): string {
  return socketUrl(url, '/stt/websocket', {
    model: textAt(options, 'model') ?? 'ink-whisper',
    language: textAt(options, 'language') ?? 'en',
    encoding: encodingOf(format),
    sample_rate: format.sampleRateHz,
    min_volume: numberAt(options, 'min_volume'),
    max_silence_duration_secs: numberAt(options, 'max_silence_duration_secs'),
  });
}
