import { FRAME_MS } from '../../base/frame.ts';

/** Somebody who speaks for so long over what is played wants the turn. */
const OVERLAP_MS = 250;
/** Of which so much must be heard as speech; consonants are not. */
const LEAST_HEARD_MS = 200;
/** A longer pause ends what was said. */
const MAX_PAUSE_MS = 160;

/** Tells when somebody has spoken for so long over an utterance that it should stop. */
export class Overlap {
  #spanMs = 0;
  #heardMs = 0;
  #pauseMs = 0;

  /** Takes the next 20 ms. Returns true when the utterance should stop. Call `forget` while none can be heard. */
  take(isSpeech: boolean): boolean {
    if (isSpeech) this.#pauseMs = 0;
    else this.#pauseMs += FRAME_MS;
    if (this.#pauseMs > MAX_PAUSE_MS) this.forget();
    if (isSpeech) this.#heardMs += FRAME_MS;
    if (this.#heardMs > 0) this.#spanMs += FRAME_MS;
    return this.#spanMs >= OVERLAP_MS && this.#heardMs >= LEAST_HEARD_MS;
  }

  forget(): void {
    this.#spanMs = 0;
    this.#heardMs = 0;
    this.#pauseMs = 0;
  }
}
