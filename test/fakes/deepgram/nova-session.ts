import type { Clock } from '../../../src/base/time.ts';
import type { VendorEnd } from '../speech-sockets.ts';
import { type HeardWord, ToneRecognizer, VOCABULARY } from '../tone-speech.ts';
import { IDLE_CLOSE } from './deepgram-errors.ts';
import { IdleLimit } from './idle-limit.ts';

/** A result is settled after so many words, in the middle of what is said. */
const WORDS_PER_FINAL = 3;
/** In silence, an empty result is settled so often. */
const EMPTY_FINAL_MS = 3_000;
const DEFAULT_ENDPOINTING_MS = 10;
/** Where in the silence after a word a settled result ends. */
const WITHIN_GAP_MS = 10;

/** One connection to `/v1/listen`. */
export class NovaSession {
  readonly #end: VendorEnd;
  readonly #query: URLSearchParams;
  readonly #offend: (offence: string) => void;
  readonly #recognizer: ToneRecognizer;
  readonly #isLinear: boolean;
  readonly #idle: IdleLimit;
  readonly #endpointingMs: number;
  /** Words that no settled result has. */
  #words: HeardWord[] = [];
  #settledMs = 0;
  /** Whether something was said since the last end of speech. */
  #isSpeech = false;
  /** When the last word ended after which UtteranceEnd is due. */
  #lastWordEndMs: number | null = null;
  #hasHeard = false;

  constructor(end: VendorEnd, query: URLSearchParams, clock: Clock, offend: (offence: string) => void) {
    this.#end = end;
    this.#query = query;
    this.#offend = offend;
    this.#isLinear = query.get('encoding') === 'linear16';
    this.#recognizer = new ToneRecognizer({
      encoding: this.#isLinear ? 's16le' : 'mulaw',
      sampleRateHz: Number(query.get('sample_rate')),
    });
    const endpointing = query.get('endpointing') ?? `${DEFAULT_ENDPOINTING_MS}`;
    this.#endpointingMs = endpointing === 'false' ? Number.POSITIVE_INFINITY : Number(endpointing);
    this.#idle = new IdleLimit(clock, () => end.socket.close(IDLE_CLOSE.code, IDLE_CLOSE.reason));
  }

  hear(audio: Buffer): void {
    // A control message as binary is taken for audio, but keeps nothing alive.
    if (audio.length < 100 && audio[0] === 0x7b && audio[1] === 0x22)
      return this.#offend('a control message came as binary');
    if (this.#isLinear && audio.length % 2 !== 0) this.#offend('half a sample');
    this.#hasHeard = true;
    this.#idle.restart();
    const words = this.#recognizer.hear(audio);
    for (const word of words) {
      this.#words.push(word);
      this.#isSpeech = true;
      this.#lastWordEndMs = word.endMs;
      if (this.#words.length >= WORDS_PER_FINAL) this.#settle(word.endMs + WITHIN_GAP_MS, {});
    }
    if (words.length > 0) this.#interim();
    this.#listenToSilence();
  }

  take(type: string): void {
    switch (type) {
      case 'KeepAlive':
        // Counts only after some audio.
        if (this.#hasHeard) this.#idle.restart();
        break;
      case 'Finalize':
        this.#finish({ from_finalize: true });
        break;
      case 'CloseStream':
        this.#finish({});
        this.#sendMetadata();
        this.#end.socket.close(1000);
        break;
      default:
        this.refuse(`unknown message ${type}`);
    }
  }

  refuse(fault: string): void {
    this.#offend(fault);
    this.#end.socket.close(1008, `DATA-0001: ${fault}`);
  }

  stop(): void {
    this.#idle.stop();
  }

  #listenToSilence(): void {
    const { silentMs, heardMs } = this.#recognizer;
    if (this.#isSpeech && silentMs >= this.#endpointingMs) {
      this.#settle(heardMs, { speech_final: true });
      this.#isSpeech = false;
    }
    this.#endUtterance(heardMs);
    if (silentMs >= EMPTY_FINAL_MS && heardMs - this.#settledMs >= EMPTY_FINAL_MS) this.#settle(heardMs, {});
  }

  /** Comes after `speech_final` as well. */
  #endUtterance(heardMs: number): void {
    const afterMs = this.#query.get('utterance_end_ms');
    if (afterMs === null || this.#lastWordEndMs === null || heardMs - this.#lastWordEndMs < Number(afterMs))
      return;
    this.#end.send({ type: 'UtteranceEnd', channel: [0, 1], last_word_end: this.#lastWordEndMs / 1_000 });
    this.#lastWordEndMs = null;
  }

  #finish(flags: object): void {
    this.#words.push(...this.#recognizer.flush());
    this.#settle(this.#recognizer.heardMs, flags);
    this.#isSpeech = false;
  }

  #interim(): void {
    if (this.#query.get('interim_results') !== 'true' || this.#words.length === 0) return;
    this.#sendResult(this.#recognizer.heardMs, { is_final: false, speech_final: false });
  }

  #settle(endMs: number, flags: object): void {
    this.#sendResult(endMs, { is_final: true, speech_final: false, ...flags });
    this.#settledMs = endMs;
    this.#words = [];
  }

  #sendResult(endMs: number, flags: object): void {
    const hasSpeakers = this.#query.has('diarize_model');
    const words = this.#words.map(({ text, startMs, endMs: wordEndMs }) => ({
      word: text,
      start: startMs / 1_000,
      end: wordEndMs / 1_000,
      confidence: 0.9,
      punctuated_word: text,
      ...(hasSpeakers && { speaker: (VOCABULARY as readonly string[]).indexOf(text) % 2 }),
    }));
    const transcript = this.#words.map(({ text }) => text).join(' ');
    this.#end.send({
      type: 'Results',
      channel_index: [0, 1],
      start: this.#settledMs / 1_000,
      duration: (endMs - this.#settledMs) / 1_000,
      from_finalize: false,
      ...flags,
      channel: {
        alternatives: [{ transcript, confidence: words.length > 0 ? 0.9 : 0, words, languages: ['en'] }],
      },
      metadata: METADATA,
    });
  }

  #sendMetadata(): void {
    this.#end.send({
      type: 'Metadata',
      transaction_key: 'deprecated',
      request_id: METADATA.request_id,
      sha256: '0'.repeat(64),
      created: '2026-01-01T00:00:00.000Z',
      duration: this.#recognizer.heardMs / 1_000,
      channels: 1,
    });
  }
}

const METADATA = {
  request_id: '0d7f2e0c-0000-4000-8000-000000000004',
  model_info: { name: 'general-nova-3', version: '2025-07-31.0', arch: 'nova-3' },
  model_uuid: '0d7f2e0c-0000-4000-8000-000000000005',
};
