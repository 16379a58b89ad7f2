import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../../../src/base/time.ts';
import {
  type Check,
  faultOf,
  faultOfQuery,
  isFlag,
  isNumeral,
  isOneOf,
  isText,
  type Shape,
} from '../shape.ts';
import { SpeechSockets, type UpgradeRefusal, type VendorEnd } from '../speech-sockets.ts';
import { hasKey } from './elevenlabs-errors.ts';
import { type AudioChunk, type CommitManner, ScribeSession } from './scribe-session.ts';

const isTrueOrFalse = isOneOf('true', 'false');
const isBase64: Check = (value) => typeof value === 'string' && /^[A-Za-z0-9+/]*={0,2}$/.test(value);

/** Parameters, as the vendor's SDK writes them. */
const QUERY: Shape = {
  model_id: isOneOf('scribe_v2_realtime', 'scribe_v2_realtime_turbo', 'scribe_v2_realtime_lite'),
  'audio_format?': (value) => /^(?:pcm_(?:8000|16000|22050|24000|44100|48000)|ulaw_8000)$/.test(`${value}`),
  'commit_strategy?': isOneOf('manual', 'vad'),
  'vad_silence_threshold_secs?': isNumeral(0.3, 3),
  'vad_threshold?': isNumeral(0.1, 0.9),
  'min_speech_duration_ms?': isNumeral(50, 2_000),
  'min_silence_duration_ms?': isNumeral(50, 2_000),
  'language_code?': isText,
  'include_timestamps?': isTrueOrFalse,
  'include_language_detection?': isTrueOrFalse,
  'keyterms?': (value) => typeof value === 'string' && value.length <= 20,
  'no_verbatim?': isTrueOrFalse,
  'enable_logging?': isTrueOrFalse,
};
const MAX_KEYTERMS = 50;

const CHUNK: Shape = {
  message_type: isOneOf('input_audio_chunk'),
  audio_base_64: isBase64,
  commit: isFlag,
  sample_rate: (value) => typeof value === 'number',
  'previous_text?': isText,
};

/** ElevenLabs' realtime speech-to-text socket. It understands tone speech. */
export class ElevenLabsSttSocket extends SpeechSockets {
  commits: CommitManner = { times: 'if wanted', first: 'plain' };
  readonly #key: string;
  readonly #clock: Clock;
  readonly #sessions = new Set<ScribeSession>();

  constructor(key: string, clock: Clock) {
    super();
    this.#key = key;
    this.#clock = clock;
  }

  /** Sends an error of the vendor on all connections, and closes them. */
  failAll(message_type: string, error: string): void {
    for (const session of this.#sessions) session.fail(message_type, error);
  }

  protected matches(path: string): boolean {
    return path === '/v1/speech-to-text/realtime';
  }

  /** A wrong key is told after the upgrade. */
  protected refusalOf(): UpgradeRefusal | null {
    return null;
  }

  protected open(end: VendorEnd, { searchParams: query }: URL, headers: IncomingHttpHeaders): void {
    const session = new ScribeSession(end, query, this.#clock, this);
    this.#sessions.add(session);
    end.socket.on('close', () => {
      session.stop();
      this.#sessions.delete(session);
    });
    if (!hasKey(headers, this.#key))
      return session.fail('auth_error', 'You must be authenticated to use this endpoint.');
    const tooMany = query.getAll('keyterms').length > MAX_KEYTERMS ? 'too many keyterms' : null;
    const fault = faultOfQuery(query, QUERY, ['keyterms']) ?? tooMany;
    if (fault !== null) return this.#refuse(session, 'invalid_request', fault);
    session.start();
    end.socket.on('message', (data: Buffer) => {
      const chunk = JSON.parse(data.toString('utf8')) as AudioChunk;
      const wrong = faultOf(chunk, CHUNK) ?? session.faultOf(chunk);
      if (wrong === null) session.hear(chunk);
      else this.#refuse(session, 'input_error', wrong);
    });
  }

  #refuse(session: ScribeSession, type: string, fault: string): void {
    this.offences.push(fault);
    session.fail(type, fault);
  }
}
