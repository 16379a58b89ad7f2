import { encodeUlaw } from '../../audio/g711.ts';
import { Resampler } from '../../audio/resampler.ts';
import { FRAME_MS, frameSamples } from '../../base/frame.ts';
import { oneLine } from '../../base/one-line.ts';
import type { RecognizedLine } from '../../base/speech.ts';
import type { Clock } from '../../base/time.ts';
import { TokenBucket } from '../../base/token-bucket.ts';
import type { AudioFormat } from '../audio-format.ts';
import type { SpeechFault } from '../speech-fault.ts';
import type { Recognized, Recognizer, RecognizerObserver } from '../stt/recognizer.ts';
import type { SuppressedVoice } from './noise-suppression.ts';

/** Longest line, in characters. Vendors send less. */
const MAX_TEXT = 10_000;
const MAX_LABEL = 64;
/** Longest language tag (RFC 5646, section 4.4.1). */
const MAX_LANGUAGE = 35;
/** Characters of final results, several times as many as anybody says. Each line is stored, so it costs more than its text. */
const SAID = { most: 20_000, perSecond: 200 };
const LINE_COST = 16;
/** What suppression of noise holds back, in whole frames. */
const SUPPRESSION_MS = 60;
const FLOODED: SpeechFault = { kind: 'refused', words: 'The vendor sent more text than anybody can say' };

export type ConnectRecognizer = (observer: RecognizerObserver) => Recognizer;

export interface ListeningObserver {
  heard(listening: Listening, line: RecognizedLine): void;
  /** What is understood so far of the line that comes next. */
  interim(listening: Listening, line: RecognizedLine): void;
  /** The vendor cannot be reached, and the session tries again. */
  disconnected(fault: SpeechFault): void;
  reconnected(): void;
  /** The vendor says that the speaker has started or stopped. */
  turn(listening: Listening, state: 'started' | 'ended'): void;
  /** The session is over. */
  failed(fault: SpeechFault): void;
}

/** One session of the recognizer: what one speaker says. Its results keep that name, however late they come. */
export class Listening {
  /** Whether the vendor still takes audio. */
  isOpen = true;
  speaker: string;
  readonly #fromMs: number;
  readonly #recognizer: Recognizer;
  readonly #chunker: Chunker;
  readonly #rateHz: number;
  /** Null: the voice is recognized as it is. */
  #suppressed: SuppressedVoice | null;
  readonly #observer: ListeningObserver;
  readonly #said: TokenBucket;
  /** The vendor sends text without end. */
  #isFlooded = false;

  constructor(speaker: string, parts: ListeningParts, observer: ListeningObserver) {
    const { rateHz, fromMs, connect, clock, suppressed = null } = parts;
    this.speaker = speaker;
    this.#fromMs = fromMs;
    this.#observer = observer;
    this.#said = new TokenBucket(clock, SAID);
    this.#suppressed = suppressed;
    this.#rateHz = rateHz;
    this.#recognizer = connect({
      interim: (result) => this.#tell(result, (line) => observer.interim(this, line)),
      final: (result) => this.#tell(result, (line) => this.#hear(line)),
      turn: (state) => observer.turn(this, state),
      failed: (fault) => {
        this.#end();
        observer.failed(fault);
      },
      disconnected: (fault) => observer.disconnected(fault),
      reconnected: () => observer.reconnected(),
    });
    this.#chunker = new Chunker(rateHz, this.#recognizer, (chunk) => this.#recognizer.hear(chunk));
  }

  hear(frame: Int16Array): void {
    if (this.isOpen) this.#chunker.add(this.#suppressed?.process(frame) ?? frame);
  }

  /** The speaker has paused. */
  paused(): void {
    if (this.isOpen) this.#recognizer.flush();
  }

  /** Resolves when the last results have been reported, within 2 s. */
  async close(): Promise<void> {
    if (!this.isOpen) return;
    if (this.#suppressed !== null) this.#hearHeldBack();
    this.#chunker.end();
    this.#end();
    await this.#recognizer.close();
  }

  #hearHeldBack(): void {
    const silence = new Int16Array(frameSamples(this.#rateHz));
    for (let ms = 0; ms < SUPPRESSION_MS; ms += FRAME_MS) this.hear(silence);
  }

  #end(): void {
    this.isOpen = false;
    this.#suppressed?.close();
    this.#suppressed = null;
  }

  #hear(line: RecognizedLine): void {
    if (this.#isFlooded) return;
    if (this.#said.take(line.text.length + LINE_COST)) return this.#observer.heard(this, line);
    this.#isFlooded = true;
    const wasOpen = this.isOpen;
    this.#end();
    // What cannot be ended in the vendor's way is over all the same.
    if (wasOpen) this.#recognizer.close().catch(() => {});
    this.#observer.failed(FLOODED);
  }

  #tell({ speaker: label, ...result }: Recognized, tell: (line: RecognizedLine) => void): void {
    const text = oneLine(result.text, MAX_TEXT);
    if (text === '') return;
    tell({
      speaker: label === null ? this.speaker : `${this.speaker} (${oneLine(label, MAX_LABEL)})`,
      text,
      startMs: this.#sinceTap(result.startMs),
      endMs: this.#sinceTap(result.endMs),
      confidence: result.confidence,
      language: result.language && oneLine(result.language, MAX_LANGUAGE),
    });
  }

  #sinceTap(milliseconds: number | null): number | null {
    return milliseconds === null ? null : Math.round(this.#fromMs + milliseconds);
  }
}

interface ListeningParts {
  readonly rateHz: number;
  /** Where the session begins in the audio of its voice. */
  readonly fromMs: number;
  readonly connect: ConnectRecognizer;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** Default: the voice is recognized as it is. It is closed with the session. */
  readonly suppressed?: SuppressedVoice | null;
}

/** Turns frames of 20 ms into chunks as a recognizer takes them. */
class Chunker {
  readonly #encoding: AudioFormat['encoding'];
  readonly #resampler: Resampler | null;
  readonly #chunk: Int16Array;
  readonly #give: (chunk: Uint8Array) => void;
  #length = 0;

  constructor(
    inRateHz: number,
    { format, chunkMs }: { readonly format: AudioFormat; readonly chunkMs: number },
    give: (chunk: Uint8Array) => void,
  ) {
    const { encoding, sampleRateHz } = format;
    this.#encoding = encoding;
    this.#resampler =
      sampleRateHz === inRateHz ? null : new Resampler(inRateHz, sampleRateHz, frameSamples(inRateHz));
    this.#chunk = new Int16Array((sampleRateHz * chunkMs) / 1000);
    this.#give = give;
  }

  add(frame: Int16Array): void {
    const samples = this.#resampler === null ? frame : this.#resampler.process(frame, frame.length);
    let full: Uint8Array | null = null;
    for (let i = 0; i < samples.length; i++) {
      this.#chunk[this.#length] = samples[i] as number;
      this.#length++;
      // A chunk is longer than a frame.
      if (this.#length === this.#chunk.length) full = this.#take();
    }
    if (full !== null) this.#give(full);
  }

  /** Gives what is left, filled up with silence. */
  end(): void {
    if (this.#length > 0) this.#give(this.#take());
  }

  #take(): Uint8Array {
    const chunk = this.#chunk;
    chunk.fill(0, this.#length);
    this.#length = 0;
    if (this.#encoding === 's16le') return new Uint8Array(chunk.slice().buffer);
    const bytes = new Uint8Array(chunk.length);
    encodeUlaw(chunk, chunk.length, bytes, 0);
    return bytes;
  }
}
