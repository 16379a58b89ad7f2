import type { Clock } from '../../../src/base/time.ts';
import type { VendorEnd } from '../speech-sockets.ts';
import { bytesPerMs, type HeardWord, type ToneFormat, ToneRecognizer } from '../tone-speech.ts';

const IDLE_MS = 10_000;
const MIN_COMMIT_MS = 300;
const SESSION_ID = 'a1b2c3d4';

export interface AudioChunk {
  readonly audio_base_64: string;
  readonly commit: boolean;
  readonly sample_rate: number;
  readonly previous_text?: string;
}

/** How commits are sent. */
export interface CommitManner {
  /** Whether the one with times comes if it is wanted, even if it is not, or never. */
  readonly times: 'if wanted' | 'always' | 'never';
  /** Which one of the two comes first. */
  readonly first: 'plain' | 'times';
}

/** One connection to the realtime speech-to-text of ElevenLabs. */
export class ScribeSession {
  readonly #end: VendorEnd;
  readonly #query: URLSearchParams;
  readonly #clock: Clock;
  readonly #manner: { readonly commits: CommitManner };
  readonly #format: ToneFormat;
  readonly #recognizer: ToneRecognizer;
  readonly #silenceMs: number;
  #words: HeardWord[] = [];
  #uncommittedMs = 0;
  #isFirst = true;
  #cancelIdle: () => void = () => {};

  constructor(
    end: VendorEnd,
    query: URLSearchParams,
    clock: Clock,
    manner: { readonly commits: CommitManner },
  ) {
    this.#end = end;
    this.#query = query;
    this.#clock = clock;
    this.#manner = manner;
    const [encoding, rate] = (query.get('audio_format') ?? 'pcm_16000').split('_');
    this.#format = { encoding: encoding === 'ulaw' ? 'mulaw' : 's16le', sampleRateHz: Number(rate) };
    this.#recognizer = new ToneRecognizer(this.#format);
    const isManual = query.get('commit_strategy') !== 'vad';
    const silence = query.get('vad_silence_threshold_secs') ?? '1.5';
    this.#silenceMs = isManual ? Number.POSITIVE_INFINITY : 1_000 * Number(silence);
  }

  start(): void {
    this.#awaitAudio();
    this.#end.send({
      message_type: 'session_started',
      session_id: SESSION_ID,
      config: { model_id: this.#query.get('model_id') },
    });
  }

  /** What is wrong with a chunk on this connection. */
  faultOf({ sample_rate, previous_text }: AudioChunk): string | null {
    if (sample_rate !== this.#format.sampleRateHz) return 'sample_rate is not that of audio_format';
    return previous_text !== undefined && !this.#isFirst ? 'previous_text is only for the first chunk' : null;
  }

  hear({ audio_base_64, commit }: AudioChunk): void {
    this.#isFirst = false;
    const audio = Buffer.from(audio_base_64, 'base64');
    if (audio.length > 0) this.#awaitAudio();
    this.#uncommittedMs += audio.length / bytesPerMs(this.#format);
    const words = this.#recognizer.hear(audio);
    this.#words.push(...words);
    if (words.length > 0) this.#end.send({ message_type: 'partial_transcript', text: this.#text });
    if (commit) this.#commit();
    else if (this.#words.length > 0 && this.#recognizer.silentMs >= this.#silenceMs) this.#sendCommit();
  }

  /** Reports an error and closes. */
  fail(message_type: string, error: string): void {
    this.#end.send({ message_type, error });
    this.#end.socket.close(1008, error);
  }

  stop(): void {
    this.#cancelIdle();
  }

  get #text(): string {
    return this.#words.map(({ text }) => text).join(' ');
  }

  #commit(): void {
    if (this.#uncommittedMs < MIN_COMMIT_MS) {
      const error = 'Commit request ignored: only 0.00s of uncommitted audio. You need at least 0.3s.';
      return this.#end.send({ message_type: 'commit_throttled', error });
    }
    this.#words.push(...this.#recognizer.flush());
    this.#sendCommit();
  }

  #sendCommit(): void {
    const { times, first } = this.#manner.commits;
    const isWanted =
      this.#query.get('include_timestamps') === 'true' ||
      this.#query.get('include_language_detection') === 'true';
    const plain = { message_type: 'committed_transcript', text: this.#text };
    const hasTimes = times === 'always' || (times === 'if wanted' && isWanted);
    const both = hasTimes ? [plain, this.#withTimes()] : [plain];
    for (const message of first === 'plain' ? both : both.reverse()) this.#end.send(message);
    this.#words = [];
    this.#uncommittedMs = 0;
  }

  #withTimes(): object {
    const words = this.#words.flatMap(({ text, startMs, endMs }, at) => {
      const word = {
        text,
        start: startMs / 1_000,
        end: endMs / 1_000,
        type: 'word',
        speaker_id: null,
        logprob: -0.1,
      };
      const before = this.#words[at - 1];
      const spacing = {
        text: ' ',
        start: (before?.endMs ?? 0) / 1_000,
        end: startMs / 1_000,
        type: 'spacing',
        logprob: 0,
      };
      return before ? [spacing, word] : [word];
    });
    return {
      message_type: 'committed_transcript_with_timestamps',
      text: this.#text,
      language_code: 'en',
      words,
    };
  }

  #awaitAudio(): void {
    this.#cancelIdle();
    this.#cancelIdle = this.#clock.after(IDLE_MS, () => this.#end.socket.close(1000, 'No audio'));
  }
}
