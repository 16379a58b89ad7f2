import type { Clock } from '../../base/time.ts';
import { LocalSpeechError } from './local-speech-error.ts';
import { type SphinxOptions, SphinxStream } from './sphinx-stream.ts';

/** Each is a process of about 100 MB that takes a tenth of a core while somebody speaks. */
const MAX_STREAMS = 8;

/** Speech recognition without a vendor: English, by pocketsphinx, where it is installed. */
export class LocalStt {
  readonly #clock: Clock;
  #streams = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Starts to recognize one voice. Throws LocalSpeechError: `not_installed` or `busy`. */
  open({ onEnd, ...options }: SphinxOptions): SphinxStream {
    if (this.#streams >= MAX_STREAMS)
      throw new LocalSpeechError('busy', 'Too many voices are being recognized on this machine');
    const stream = new SphinxStream(this.#clock, {
      ...options,
      onEnd: (error) => {
        this.#streams -= 1;
        onEnd(error);
      },
    });
    this.#streams += 1;
    return stream;
  }
}
