import type { Clock } from '../../../src/base/time.ts';
import type { VendorEnd } from '../speech-sockets.ts';
import { bytesPerMs, GAP_MS, type ToneFormat, toneSpeech, WORD_MS } from '../tone-speech.ts';
import type { CartesiaError } from './socket-errors.ts';

/** What happens to a context that is otherwise right. */
export interface ContextFault {
  /** Sent instead of audio. */
  readonly error?: CartesiaError;
  /** The connection is cut after so many chunks. */
  readonly cutAfterChunks?: number;
  /** Nothing more comes after so many chunks. */
  readonly stallAfterChunks?: number;
  /** This error comes after so many chunks. */
  readonly errorAfterChunks?: { readonly chunks: number; readonly message: object };
}

/** The vendor as its contexts see it. */
export interface ContextHost {
  readonly clock: Clock;
  readonly contexts: Set<TtsContext>;
  mostContexts: number;
  readonly chunkDelayMs: number;
}

interface SpokenText {
  readonly transcript: string;
  readonly context_id: string;
  readonly continue?: boolean | null | undefined;
  readonly flush?: boolean | null | undefined;
  readonly add_timestamps?: boolean | null | undefined;
  readonly output_format: { readonly encoding: string; readonly sample_rate: number };
}

/** And half a sample: the borders of chunks are not those of samples. */
const CHUNK_MS = 100;
/** A context lives this long after its last audio. */
const LIFE_MS = 1_000;
/** What has been generated when a cancel arrives is still sent. */
const CHUNKS_AFTER_CANCEL = 2;

/** A context: what was asked for is spoken piece by piece, with the times of its words. */
export class TtsContext {
  readonly #host: ContextHost;
  readonly #end: VendorEnd;
  readonly #id: string;
  readonly #format: ToneFormat;
  readonly #fault: ContextFault;
  #unsent = Buffer.alloc(0);
  #chunks = 0;
  /** Words that were spoken in this context. */
  #words = 0;
  #isContinued = true;
  #isOver = false;
  #cancelled = false;
  #stepMs = 0;
  #cancelTimer = (): void => {};

  constructor(host: ContextHost, end: VendorEnd, request: SpokenText, fault: ContextFault) {
    this.#host = host;
    this.#end = end;
    this.#id = request.context_id;
    const { encoding, sample_rate: sampleRateHz } = request.output_format;
    this.#format = { encoding: encoding === 'pcm_mulaw' ? 'mulaw' : 's16le', sampleRateHz };
    this.#fault = fault;
    host.contexts.add(this);
    host.mostContexts = Math.max(host.mostContexts, host.contexts.size);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  speak(request: SpokenText): void {
    this.#isContinued = request.continue ?? false;
    this.#unsent = Buffer.concat([this.#unsent, toneSpeech(request.transcript, this.#format)]);
    const words = request.transcript.split(/\s+/).filter((word) => word !== '');
    if (request.add_timestamps && words.length > 0) this.#sendTimes(words);
    if (request.flush)
      this.#send({ type: 'flush_done', done: false, flush_done: true, flush_id: 1, status_code: 206 });
    this.#next();
  }

  cancel(): void {
    this.#cancelled = true;
    this.#unsent = this.#unsent.subarray(0, CHUNKS_AFTER_CANCEL * CHUNK_MS * bytesPerMs(this.#format));
  }

  end(): void {
    this.#cancelTimer();
    this.#isOver = true;
    this.#host.contexts.delete(this);
  }

  #next(): void {
    this.#cancelTimer();
    if (this.#isOver) return;
    const isSpoken = this.#unsent.length === 0;
    const isDone = isSpoken && (!this.#isContinued || this.#cancelled);
    if (isDone) return this.#finish();
    const delayMs = isSpoken ? LIFE_MS : this.#host.chunkDelayMs;
    this.#cancelTimer = this.#host.clock.after(delayMs, () => (isSpoken ? this.end() : this.#sendChunk()));
  }

  #sendChunk(): void {
    const { cutAfterChunks, stallAfterChunks, errorAfterChunks } = this.#fault;
    if (this.#chunks === cutAfterChunks) return this.#end.socket.terminate();
    if (this.#chunks === stallAfterChunks) return;
    if (errorAfterChunks && this.#chunks === errorAfterChunks.chunks) {
      this.#send(errorAfterChunks.message);
      return this.end();
    }
    this.#chunks += 1;
    const bytes = CHUNK_MS * bytesPerMs(this.#format) + (this.#format.encoding === 's16le' ? 1 : 0);
    const data = this.#unsent.subarray(0, bytes).toString('base64');
    this.#unsent = this.#unsent.subarray(bytes);
    this.#stepMs += 1;
    this.#send({ type: 'chunk', data, done: false, status_code: 206, step_time: this.#stepMs });
    this.#next();
  }

  #sendTimes(words: readonly string[]): void {
    const starts = words.map((_, place) => ((this.#words + place) * (WORD_MS + GAP_MS)) / 1_000);
    const word_timestamps = { words, start: starts, end: starts.map((start) => start + WORD_MS / 1_000) };
    this.#words += words.length;
    this.#send({ type: 'timestamps', done: false, status_code: 206, word_timestamps });
  }

  #finish(): void {
    this.#send({ type: 'done', done: true, status_code: 206 });
    this.end();
  }

  #send(message: object): void {
    this.#end.send({ ...message, context_id: this.#id });
  }
}
