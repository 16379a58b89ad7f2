import type { AudioFormat } from '../../audio-format.ts';
import type { SpeechPreset } from '../../speech-preset.ts';
import { heard } from '../../stt/heard.ts';
import type { DialectParts, HeardSoFar, Reading, SttDialect } from '../../stt/stream-recognizer.ts';
import { isTrueAt, numberAt, objectsAt, textAt, type VendorMessage } from '../../vendor-message.ts';
import { socketUrl } from '../../vendor-url.ts';
import { encodingOf, faultOfError, KEEP_ALIVE } from './cartesia-manners.ts';

/** Text that was settled by silence, not by our request, is reported when none follows. */
const QUIET_MS = 1_000;
/** How long something may have been spoken before there is text of it. */
const START_DELAY_MS = 1_000;
/** Bare words, not JSON. */
const FINALIZE = 'finalize';
const CLOSE = 'close';

/**
 * Cartesia's ink-whisper, which settles text when it is told to, or after silence. Its texts may end within a word, so
 * they are joined as they are.
 *
 * Source: https://docs.cartesia.ai/api-reference/stt/websocket
 */
export function whisper({ preset, format }: DialectParts): SttDialect {
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
    url: urlOf(preset, format),
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
    flush: () => FINALIZE,
    farewell: () => [CLOSE],
    reset: () => {
      vendorMs = 0;
    },
  };
}

function urlOf({ url, options }: SpeechPreset, format: AudioFormat): string {
  return socketUrl(url, '/stt/websocket', {
    model: textAt(options, 'model') ?? 'ink-whisper',
    language: textAt(options, 'language') ?? 'en',
    encoding: encodingOf(format),
    sample_rate: format.sampleRateHz,
    min_volume: numberAt(options, 'min_volume'),
    max_silence_duration_secs: numberAt(options, 'max_silence_duration_secs'),
  });
}
