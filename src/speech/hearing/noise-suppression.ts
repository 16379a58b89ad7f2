import type { SpeechPreset } from '../speech-preset.ts';
import { NoiseSuppressor } from './noise-suppressor.ts';

/** Voices of a thread at a time: each takes a tenth of a core. */
const MOST = 4;
/** Of one account. */
const MOST_EACH = 2;

/** A voice whose noise is suppressed. */
export type SuppressedVoice = Pick<NoiseSuppressor, 'process' | 'close'>;

/** Takes the noise from voices before they are recognized, where a preset wants it, and while the thread has room for it. */
export class NoiseSuppression {
  readonly #voices = new Map<string, number>();
  #total = 0;

  /** Returns null where the preset does not want it, and where too many have it, which calls `full`: the voice is recognized as it is. */
  of(
    accountId: string,
    { options }: Pick<SpeechPreset, 'options'>,
    rateHz: number,
    full: () => void,
  ): SuppressedVoice | null {
    if (options.noise_suppression !== true) return null;
    if ((this.#voices.get(accountId) ?? 0) >= MOST_EACH || this.#total >= MOST) {
      full();
      return null;
    }
    const suppressor = new NoiseSuppressor(rateHz);
    this.#count(accountId, 1);
    return {
      process: (frame) => suppressor.process(frame),
      close: () => {
        suppressor.close();
        this.#count(accountId, -1);
      },
    };
  }

  #count(accountId: string, change: 1 | -1): void {
    const voices = (this.#voices.get(accountId) ?? 0) + change;
    if (voices === 0) this.#voices.delete(accountId);
    else this.#voices.set(accountId, voices);
    this.#total += change;
  }
}
