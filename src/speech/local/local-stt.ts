import type { Clock } from '../../base/time.ts';
import { LocalSpeechError } from './local-speech-error.ts';
import { type SphinxOptions, SphinxStream } from './sphinx-stream.ts';

/** Each is a process of about 100 MB that takes a tenth of a core while somebody speaks. */
const MAX_STREAMS = 8;

/** Speech recognition without a vendor: English, by pocketsphinx, where it is installed. */
export class LocalStt {
  readonly #clock: Clock;
  readonly #streams = new Set<SphinxStream>();
  #refusals = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Number of voices being recognized. */
  get listening(): number {
    return this.#streams.size;
  }

  /** Voices refused since the start. */
  get refusals(): number {
    return this.#refusals;
  }

  /** Starts to recognize one voice. Throws LocalSpeechError: `not_installed` or `busy`. */
  open({ onEnd, ...options }: SphinxOptions): SphinxStream {
    if (this.#streams.size >= MAX_STREAMS) {
      this.#refusals += 1;
      throw new LocalSpeechError('busy', 'Too many voices are being recognized on this machine');
    }
    const stream: SphinxStream = new SphinxStream(this.#clock, {
      ...options,
      onEnd: (error) => {
        this.#streams.delete(stream);
        onEnd(error);
      },
    });
    this.#streams.add(stream);
    return stream;
  }

  /** Ends all recognizers at once. */
  close(): void {
    for (const stream of this.#streams) stream.kill();
  }
}
