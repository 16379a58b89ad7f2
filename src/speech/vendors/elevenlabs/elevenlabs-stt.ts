import type { CancelTimer, Clock } from '../../../base/time.ts';
import type { AudioFormat } from '../../audio-format.ts';
import type { SpeechPreset } from '../../speech-preset.ts';
import type { AudioBacklog } from '../../stt/audio-backlog.ts';
import { type Heard, heard, mean, numbersOf } from '../../stt/heard.ts';
import type {
  DialectParts,
  HeardSoFar,
  Reading,
  SttDialect,
  SttVendor,
} from '../../stt/stream-recognizer.ts';
import { isTrueAt, numberAt, objectsAt, textAt, textsAt, type VendorMessage } from '../../vendor-message.ts';
import { faultOfMessage, socketUrl } from '../vendor-manners.ts';
import { ELEVENLABS } from './elevenlabs-manners.ts';

/** Without audio for about 10 s, ElevenLabs closes. */
const SILENCE_MS = 5_000;
/** ElevenLabs refuses to commit less. */
const MIN_COMMIT_MS = 300;
/** Long speech is committed so often, which keeps its results fast. */
const MAX_COMMIT_MS = 25_000;
/** A commit that ElevenLabs finds by silence covers all that was sent but this: the least silence, less the way. */
const COMMIT_DELAY_MS = 300;
/** How much speech ElevenLabs needs before its first result. */
const FIRST_RESULT_MS = 2_500;
/** The names of errors have changed. All had one of these. */
const ERROR = /error|exceeded|limited|overflow|exhausted|invalid|unaccepted/;
/** Errors after which the session goes on. */
const HARMLESS: ReadonlySet<string> = new Set(['insufficient_audio_activity', 'warning']);

/**
 * Speech-to-text by ElevenLabs Scribe. A commit ends what was said: ElevenLabs makes one after silence (`vad`), or we ask
 * for it (`manual`).
 *
 * Source: https://elevenlabs.io/docs/api-reference/speech-to-text/v-1-speech-to-text-realtime
 */
export const elevenLabsStt: SttVendor = {
  manners: ELEVENLABS,
  ratesHz: [16_000, 22_050, 24_000, 44_100, 48_000],
  newDialect: (parts) => new Scribe(parts).dialect,
};

class Scribe {
  readonly dialect: SttDialect;
  readonly #sampleRateHz: number;
  readonly #pairs: CommitPairs;
  /** Where times of words are mapped, once there is audio. */
  #backlog: AudioBacklog | null = null;
  /** What our commits cover that have not been answered, in ms of the audio heard. */
  #commits: number[] = [];
  #lastEndMs = 0;
  #isClosing = false;

  constructor({ preset, format, clock, apply }: DialectParts) {
    const { options } = preset;
    const isManual = textAt(options, 'commit_strategy') === 'manual';
    const pauseMs = 1_000 * (numberAt(options, 'vad_silence_threshold_secs') ?? 1.5) + COMMIT_DELAY_MS;
    this.#sampleRateHz = format.sampleRateHz;
    this.#pairs = new CommitPairs(clock, (message) => apply({ settled: this.#heard(message), isEnd: true }));
    this.dialect = {
      url: urlOf(preset, format),
      chunkMs: 100,
      isPaced: false,
      keepAlive: { afterMs: SILENCE_MS },
      wrap: (audio) => this.#chunk(audio, false),
      separator: null,
      read: (message, soFar) => this.#read(message, soFar),
      mustFlush: (soFar) => isManual && this.#uncommittedMs(soFar) >= MAX_COMMIT_MS,
      flush: (soFar) => {
        if (!isManual) return pauseMs;
        return this.#uncommittedMs(soFar) >= MIN_COMMIT_MS ? () => this.#commit(soFar) : null;
      },
      farewell: (soFar) => this.#farewell(soFar),
      reset: () => {
        this.#pairs.reset();
        this.#commits = [];
      },
    };
  }

  #uncommittedMs({ backlog }: HeardSoFar): number {
    return backlog.sentMs - (this.#commits.at(-1) ?? backlog.settledMs);
  }

  /** Without a last message it closes at once, so a commit that is on its way is asked for again. */
  #farewell(soFar: HeardSoFar): string[] {
    this.#isClosing = true;
    const isOver = this.#uncommittedMs(soFar) < MIN_COMMIT_MS && this.#isIdle;
    return isOver ? [] : [this.#commit(soFar)];
  }

  /** Whether nothing is on its way. */
  get #isIdle(): boolean {
    return this.#commits.length === 0 && !this.#pairs.isWaiting;
  }

  #read(message: VendorMessage, soFar: HeardSoFar): Reading {
    this.#backlog = soFar.backlog;
    const reading = this.#readType(message, soFar);
    return this.#isClosing && this.#isIdle ? { ...reading, isLast: true } : reading;
  }

  #readType(message: VendorMessage, soFar: HeardSoFar): Reading {
    const type = textAt(message, 'message_type') ?? '';
    switch (type) {
      case 'partial_transcript':
      case 'final_transcript':
      case 'final_transcript_with_timestamps':
        return this.#readPartial((textAt(message, 'text') ?? '').trim(), soFar);
      case 'committed_transcript':
        return this.#readCommit(message, soFar, false);
      case 'committed_transcript_with_timestamps':
        return this.#readCommit(message, soFar, true);
      case 'commit_throttled':
        this.#commits.pop();
        return {};
      default: {
        const isError = textAt(message, 'error') !== null || ERROR.test(type);
        return isError && !HARMLESS.has(type) ? { fault: faultOfMessage(ELEVENLABS, message) } : {};
      }
    }
  }

  #readPartial(text: string, { backlog, open }: HeardSoFar): Reading {
    if (text === '') return {};
    // Keeps the order, at the price of the times.
    this.#pairs.flush();
    const { sentMs, settledMs } = backlog;
    const fromMs = open?.fromMs ?? Math.max(settledMs, sentMs - FIRST_RESULT_MS);
    return { open: { ...heard(text), fromMs, untilMs: sentMs } };
  }

  /** A commit, if it is a new one, covers what had been sent when it was asked for or found. */
  #readCommit(message: VendorMessage, { backlog }: HeardSoFar, hasTimes: boolean): Reading {
    const { sentMs } = backlog;
    if (!this.#pairs.add(message, hasTimes)) return {};
    return { settledMs: this.#commits.shift() ?? sentMs - COMMIT_DELAY_MS, open: null };
  }

  #heard(message: VendorMessage): Heard {
    const words = objectsAt(message, 'words').filter((word) => textAt(word, 'type') !== 'spacing');
    const logprob = mean(numbersOf(words, 'logprob'));
    return {
      text: (textAt(message, 'text') ?? '').trim(),
      ...this.#times(numbersOf(words, 'start')[0], numbersOf(words, 'end').at(-1)),
      confidences: logprob === null ? [] : [Math.exp(Math.min(0, logprob))],
      language: textAt(message, 'language_code'),
      speakers: words.map((word) => textAt(word, 'speaker_id')).filter((speaker) => speaker !== null),
    };
  }

  /** `start` and `end` in seconds of the session. Times that run back count from somewhere else, and are not used. */
  #times(start: number | undefined, end: number | undefined): Pick<Heard, 'startMs' | 'endMs'> {
    if (start === undefined || end === undefined || this.#backlog === null) return UNKNOWN_TIMES;
    const startMs = Math.round(this.#backlog.heardMs(1_000 * start));
    const endMs = Math.round(this.#backlog.heardMs(1_000 * end));
    if (startMs < this.#lastEndMs || endMs < startMs) return UNKNOWN_TIMES;
    this.#lastEndMs = endMs;
    return { startMs, endMs };
  }

  #commit({ backlog }: HeardSoFar): string {
    this.#commits.push(backlog.sentMs);
    return this.#chunk(new Uint8Array(0), true);
  }

  #chunk(audio: Uint8Array, commit: boolean): string {
    return JSON.stringify({
      message_type: 'input_audio_chunk',
      audio_base_64: Buffer.from(audio.buffer, audio.byteOffset, audio.length).toString('base64'),
      commit,
      sample_rate: this.#sampleRateHz,
    });
  }
}

const UNKNOWN_TIMES = { startMs: null, endMs: null } as const;

function urlOf({ url, options }: SpeechPreset, { encoding, sampleRateHz }: AudioFormat): string {
  const strategy = textAt(options, 'commit_strategy') ?? 'vad';
  const vad = {
    vad_silence_threshold_secs: numberAt(options, 'vad_silence_threshold_secs'),
    vad_threshold: numberAt(options, 'vad_threshold'),
  };
  return socketUrl(url, '/v1/speech-to-text/realtime', {
    model_id: textAt(options, 'model') ?? 'scribe_v2_realtime',
    audio_format: encoding === 'mulaw' ? 'ulaw_8000' : `pcm_${sampleRateHz}`,
    commit_strategy: strategy,
    ...(strategy === 'vad' ? vad : {}),
    include_timestamps: true,
    language_code: textAt(options, 'language'),
    keyterms: textsAt(options, 'keyterms'),
    no_verbatim: isTrueAt(options, 'no_verbatim'),
  });
}

/** How long a commit without times waits for the one with times. */
const PARTNER_MS = 500;
/** Commits that wait. Beyond that the oldest is passed on without times. */
const MAX_WAITING = 8;
/** Commits that are remembered because their partner may still come. */
const MAX_SINGLE = 8;

interface Waiting {
  readonly message: VendorMessage;
  readonly cancel: CancelTimer;
}

/** A commit that was passed on alone. */
interface Single {
  readonly text: string;
  readonly hasTimes: boolean;
}

/**
 * Each commit of ElevenLabs comes twice, without and with times, in this order as a rule. Passes each one on once, with
 * times if they come within half a second.
 */
export class CommitPairs {
  readonly #clock: Clock;
  readonly #take: (message: VendorMessage) => void;
  readonly #waiting: Waiting[] = [];
  readonly #single: Single[] = [];

  constructor(clock: Clock, take: (message: VendorMessage) => void) {
    this.#clock = clock;
    this.#take = take;
  }

  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** Returns whether this is a new commit, and not the partner of another one. */
  add(message: VendorMessage, hasTimes: boolean): boolean {
    if (this.#isPartner(textOf(message), hasTimes)) return false;
    if (!hasTimes) {
      this.#waiting.push({ message, cancel: this.#clock.after(PARTNER_MS, () => this.#passOldest()) });
      if (this.#waiting.length > MAX_WAITING) this.#passOldest();
      return true;
    }
    const partner = this.#waiting.shift();
    partner?.cancel();
    if (partner === undefined) this.#remember(message, true);
    this.#take(message);
    return partner === undefined;
  }

  /** Passes on what waits. */
  flush(): void {
    while (this.isWaiting) this.#passOldest();
  }

  /** Passes on what waits. Nothing that has come has a partner any more. */
  reset(): void {
    this.flush();
    this.#single.length = 0;
  }

  #passOldest(): void {
    const oldest = this.#waiting.shift();
    if (oldest === undefined) return;
    oldest.cancel();
    this.#remember(oldest.message, false);
    this.#take(oldest.message);
  }

  /** Returns whether this commit was passed on already, alone. */
  #isPartner(text: string, hasTimes: boolean): boolean {
    const at = this.#single.findIndex((single) => single.hasTimes !== hasTimes && single.text === text);
    if (at < 0) return false;
    this.#single.splice(at, 1);
    return true;
  }

  #remember(message: VendorMessage, hasTimes: boolean): void {
    this.#single.push({ text: textOf(message), hasTimes });
    if (this.#single.length > MAX_SINGLE) this.#single.shift();
  }
}

function textOf(message: VendorMessage): string {
  return (textAt(message, 'text') ?? '').trim();
}
