import type { AudioFormat } from '../../audio-format.ts';
import type { SpeechPreset } from '../../speech-preset.ts';
import { heard } from '../../stt/heard.ts';
import type { DialectParts, HeardSoFar, Reading, SttDialect } from '../../stt/stream-recognizer.ts';
import { numberAt, textAt, textsAt, type VendorMessage } from '../../vendor-message.ts';
import { socketUrl } from '../../vendor-url.ts';
import { encodingOf, faultOfError, KEEP_ALIVE } from './cartesia-manners.ts';

/** Enough silence for most turns to end. */
const PAUSE_MS = 1_000;
/** Cartesia waits for audio, and takes its absence for a slow network. So much silence ends any turn. */
const GAPS = { everyMs: 500, most: 24 };
/** What is said after a pause within this time is not of the turn whose end has just arrived. */
const WAY_MS = 1_000;
/** How long a turn may have been spoken before it is reported. */
const START_DELAY_MS = 1_000;
const CLOSE = '{"type":"close"}';

/**
 * Cartesia's ink-2, which finds turns itself and knows English only. Each message has the whole turn so far. It tells no
 * times: what is sent counts as heard, but for what was said while the end of a turn was on its way.
 *
 * Source: https://docs.cartesia.ai/api-reference/stt/turns/websocket
 */
export function ink2({ preset, format }: DialectParts): SttDialect {
  return {
    url: urlOf(preset, format),
    chunkMs: 100,
    isPaced: true,
    keepAlive: KEEP_ALIVE,
    separator: null,
    gaps: GAPS,
    read,
    flush: () => PAUSE_MS,
    farewell: () => [CLOSE],
  };
}

function read(message: VendorMessage, { backlog, open }: HeardSoFar): Reading | null {
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

function urlOf({ url, options }: SpeechPreset, format: AudioFormat): string {
  return socketUrl(url, '/stt/turns/websocket', {
    model: textAt(options, 'model') ?? 'ink-2',
    encoding: encodingOf(format),
    sample_rate: format.sampleRateHz,
    keyterm: textsAt(options, 'keyterms'),
    turn_end_threshold: numberAt(options, 'turn_end_threshold'),
    turn_end_timeout_ms: numberAt(options, 'turn_end_timeout_ms'),
  });
}
