import { cutText } from '../../base/cut-text.ts';
import type { RecognizedLine } from '../../base/speech.ts';
import type { SpeechFault } from '../speech-fault.ts';
import type { Recognized, Recognizer, RecognizerObserver } from '../stt/recognizer.ts';
import { Chunker } from './chunker.ts';

/** Longest line, in characters. Vendors send less. */
const MAX_TEXT = 10_000;
const MAX_LABEL = 64;

export type ConnectRecognizer = (observer: RecognizerObserver) => Recognizer;

export interface ListeningObserver {
  heard(line: RecognizedLine): void;
  /** What is understood so far of the line that comes next. */
  interim(line: RecognizedLine): void;
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

  constructor(speaker: string, { rateHz, fromMs, connect }: ListeningParts, observer: ListeningObserver) {
    this.speaker = speaker;
    this.#fromMs = fromMs;
    this.#recognizer = connect({
      interim: (result) => this.#tell(result, (line) => observer.interim(line)),
      final: (result) => this.#tell(result, (line) => observer.heard(line)),
      turn: (state) => observer.turn(this, state),
      failed: (fault) => {
        this.isOpen = false;
        observer.failed(fault);
      },
      disconnected: (fault) => observer.disconnected(fault),
      reconnected: () => observer.reconnected(),
    });
    this.#chunker = new Chunker(rateHz, this.#recognizer, (chunk) => this.#recognizer.hear(chunk));
  }

  hear(frame: Int16Array): void {
    if (this.isOpen) this.#chunker.add(frame);
  }

  /** The speaker has paused. */
  paused(): void {
    if (this.isOpen) this.#recognizer.flush();
  }

  /** Resolves when the last results have been reported, within 2 s. */
  async close(): Promise<void> {
    if (!this.isOpen) return;
    this.#chunker.end();
    this.isOpen = false;
    await this.#recognizer.close();
  }

  #tell({ speaker: label, ...result }: Recognized, tell: (line: RecognizedLine) => void): void {
    const text = cutText(result.text.trim(), MAX_TEXT);
    if (text === '') return;
    tell({
      speaker: label === null ? this.speaker : `${this.speaker} (${cutText(label, MAX_LABEL)})`,
      text,
      startMs: this.#sinceTap(result.startMs),
      endMs: this.#sinceTap(result.endMs),
      confidence: result.confidence,
      language: result.language,
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
}
