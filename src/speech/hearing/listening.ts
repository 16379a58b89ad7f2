import type { SpeechFault } from '../speech-fault.ts';
import type { Recognized, Recognizer, RecognizerObserver } from '../stt/recognizer.ts';
import type { HeardText } from '../transport/speech-protocol.ts';
import { Chunker } from './chunker.ts';

export type ConnectRecognizer = (observer: RecognizerObserver) => Recognizer;

export interface ListeningObserver {
  heard(line: HeardText): void;
  /** The vendor cannot be reached, and the session tries again. */
  disconnected(fault: SpeechFault): void;
  reconnected(): void;
  /** The session is over. */
  failed(fault: SpeechFault): void;
}

/** One session of the recognizer: what one speaker says. Its results keep that name, however late they come. */
export class Listening {
  /** Whether the vendor still takes audio. */
  isOpen = true;
  speaker: string;
  readonly #recognizer: Recognizer;
  readonly #chunker: Chunker;

  constructor(
    speaker: string,
    { rateHz, connect }: { readonly rateHz: number; readonly connect: ConnectRecognizer },
    observer: ListeningObserver,
  ) {
    this.speaker = speaker;
    this.#recognizer = connect({
      interim: () => {},
      final: (result) => this.#final(result, observer),
      turn: () => {},
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

  #final({ text, speaker: label }: Recognized, observer: ListeningObserver): void {
    const line = text.trim();
    if (line === '') return;
    observer.heard({ speaker: label === null ? this.speaker : `${this.speaker} (${label})`, text: line });
  }
}
