import { type AudioFormat, nearestFormat } from '../../audio-format.ts';
import type { SpeechPreset } from '../../speech-preset.ts';
import { isTrueAt, numberAt, objectsAt, textAt, textsAt, type VendorMessage } from '../../vendor-message.ts';
import type { VendorSocketDeps } from '../../vendor-socket.ts';
import { socketUrl } from '../../vendor-url.ts';
import { ELEVENLABS } from '../../vendors/elevenlabs/elevenlabs-manners.ts';
import { endpointOf, faultOfMessage } from '../../vendors/vendor-manners.ts';
import { AudioUplink } from '../audio-uplink.ts';
import { majority, mean, resultOf } from '../recognized-words.ts';
import type { Recognized, Recognizer, RecognizerObserver } from '../recognizer.ts';
import { CommitPairs } from './commit-pairs.ts';

const RATES_HZ = [16_000, 22_050, 24_000, 44_100, 48_000] as const;
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

/** What is understood of speech that is not committed. */
interface Partial {
  readonly text: string;
  /** What had been sent when its first and its latest version came. */
  readonly firstMs: number;
  readonly latestMs: number;
}

/**
 * Speech-to-text by ElevenLabs Scribe. A commit ends what was said: ElevenLabs makes one after silence (`vad`), or we ask
 * for it (`manual`).
 *
 * Source: https://elevenlabs.io/docs/api-reference/speech-to-text/v-1-speech-to-text-realtime
 */
export class ElevenLabsRecognizer implements Recognizer {
  readonly format: AudioFormat;
  readonly chunkMs = 100;
  readonly #observer: RecognizerObserver;
  readonly #uplink: AudioUplink;
  readonly #pairs: CommitPairs;
  readonly #isManual: boolean;
  readonly #pauseMs: number;
  #partial: Partial | null = null;
  /** What our commits cover that have not been answered, in ms of the audio heard. */
  #commits: number[] = [];
  #lastEndMs = 0;
  #isClosing = false;

  /** `rateHz` is the rate of the voice. */
  constructor(preset: SpeechPreset, rateHz: number, deps: VendorSocketDeps, observer: RecognizerObserver) {
    const { options } = preset;
    this.format = nearestFormat(RATES_HZ, rateHz);
    this.#observer = observer;
    this.#isManual = textAt(options, 'commit_strategy') === 'manual';
    this.#pauseMs = 1_000 * (numberAt(options, 'vad_silence_threshold_secs') ?? 1.5) + COMMIT_DELAY_MS;
    this.#pairs = new CommitPairs(deps.clock, (message) => this.#report(message));
    this.#uplink = new AudioUplink(
      {
        endpoint: endpointOf(ELEVENLABS, urlOf(preset, this.format), preset.key),
        format: this.format,
        isPaced: false,
        keepAlive: { afterMs: SILENCE_MS },
        wrap: (audio) => this.#chunk(audio, false),
      },
      deps,
      {
        opened: () => this.#begin(),
        message: (message) => this.#take(message),
        lost: (isOver) => this.#lose(isOver),
      },
      observer,
    );
  }

  hear(chunk: Uint8Array): void {
    this.#uplink.hear(chunk);
    if (this.#isManual && this.#uncommittedMs >= MAX_COMMIT_MS) this.flush();
  }

  flush(): void {
    if (!this.#isManual) this.#uplink.flush(() => this.#uplink.silence(this.#pauseMs));
    else if (this.#uncommittedMs >= MIN_COMMIT_MS) this.#uplink.flush(() => this.#commit());
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    const mustCommit = this.#uncommittedMs >= MIN_COMMIT_MS;
    // Without a last message it closes at once, so a commit that is on its way is asked for again.
    const isOver = !mustCommit && this.#commits.length === 0 && !this.#pairs.isWaiting;
    await this.#uplink.close(...(isOver ? [] : [this.#commit()]));
    this.#pairs.reset();
    this.#reportPartial();
  }

  get #uncommittedMs(): number {
    const { backlog } = this.#uplink;
    return backlog.sentMs - (this.#commits.at(-1) ?? backlog.settledMs);
  }

  #take(message: VendorMessage): void {
    const type = textAt(message, 'message_type') ?? '';
    switch (type) {
      case 'partial_transcript':
      case 'final_transcript':
      case 'final_transcript_with_timestamps':
        this.#takePartial((textAt(message, 'text') ?? '').trim());
        break;
      case 'committed_transcript':
        this.#settle(() => this.#pairs.add(message, false));
        break;
      case 'committed_transcript_with_timestamps':
        this.#settle(() => this.#pairs.add(message, true));
        break;
      case 'commit_throttled':
        this.#commits.pop();
        break;
      default:
        if ((textAt(message, 'error') !== null || ERROR.test(type)) && !HARMLESS.has(type))
          this.#uplink.drop(faultOfMessage(ELEVENLABS, message));
    }
    if (this.#isClosing && this.#commits.length === 0 && !this.#pairs.isWaiting) this.#uplink.finish();
  }

  #takePartial(text: string): void {
    if (text === '') return;
    // Keeps the order, at the price of the times.
    this.#pairs.flush();
    const { sentMs } = this.#uplink.backlog;
    this.#partial = { text, firstMs: this.#partial?.firstMs ?? sentMs, latestMs: sentMs };
    this.#observer.interim(resultOf(text));
  }

  /** A commit, if it is a new one, covers what had been sent when it was asked for or found. */
  #settle(add: () => boolean): void {
    const { backlog } = this.#uplink;
    const { sentMs } = backlog;
    if (!add()) return;
    backlog.settle(this.#commits.shift() ?? sentMs - COMMIT_DELAY_MS);
    this.#partial = null;
  }

  #report(message: VendorMessage): void {
    const said = this.#read(message);
    if (said.text !== '') this.#observer.final(said);
  }

  #read(message: VendorMessage): Recognized {
    const words = objectsAt(message, 'words').filter((word) => textAt(word, 'type') !== 'spacing');
    const text = (textAt(message, 'text') ?? '').trim();
    const numbers = (name: string): number[] =>
      words.map((word) => numberAt(word, name)).filter((value) => value !== null);
    const logprob = mean(numbers('logprob'));
    const speakers = words.map((word) => textAt(word, 'speaker_id')).filter((speaker) => speaker !== null);
    return {
      text,
      ...this.#times(numbers('start')[0], numbers('end').at(-1)),
      confidence: logprob === null ? null : Math.exp(Math.min(0, logprob)),
      language: textAt(message, 'language_code'),
      speaker: majority(speakers),
    };
  }

  /** `start` and `end` in seconds of the session. Times that run back count from somewhere else, and are not used. */
  #times(start: number | undefined, end: number | undefined): Pick<Recognized, 'startMs' | 'endMs'> {
    const { backlog } = this.#uplink;
    const startMs = start === undefined ? 0 : Math.round(backlog.heardMs(1_000 * start));
    const endMs = end === undefined ? 0 : Math.round(backlog.heardMs(1_000 * end));
    if (start === undefined || end === undefined || startMs < this.#lastEndMs || endMs < startMs)
      return UNKNOWN_TIMES;
    this.#lastEndMs = endMs;
    return { startMs, endMs };
  }

  #lose(isOver: boolean): void {
    this.#pairs.reset();
    this.#commits = [];
    if (isOver) this.#reportPartial();
  }

  /** Speech that was cut is heard again, unless its beginning is no longer there: then what is known of it must do. */
  #begin(): void {
    const { backlog } = this.#uplink;
    if (this.#partial !== null) {
      const earliestMs = Math.max(backlog.settledMs, this.#partial.firstMs - FIRST_RESULT_MS);
      if (earliestMs < backlog.oldestMs) {
        backlog.settle(this.#partial.latestMs);
        this.#reportPartial();
      }
    }
    this.#partial = null;
    this.#uplink.begin();
  }

  #reportPartial(): void {
    if (this.#partial !== null) this.#observer.final(resultOf(this.#partial.text));
    this.#partial = null;
  }

  #commit(): string {
    this.#commits.push(this.#uplink.backlog.sentMs);
    return this.#chunk(new Uint8Array(0), true);
  }

  #chunk(audio: Uint8Array, commit: boolean): string {
    const base64 = Buffer.from(audio.buffer, audio.byteOffset, audio.length).toString('base64');
    return JSON.stringify({
      message_type: 'input_audio_chunk',
      audio_base_64: base64,
      commit,
      sample_rate: this.format.sampleRateHz,
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
