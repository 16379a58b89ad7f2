import { framePower } from '../../audio/frame-power.ts';
import { FRAME_MS } from '../../base/frame.ts';

/** An echo comes back within this time: a network's round trip with its jitter buffers, and a room. */
const ECHO_MS = 800;
const ECHO_FRAMES = ECHO_MS / FRAME_MS;
/** A voice that is so much weaker than what was sent may be its echo, which is 30 dB down or more on a phone line. */
const ECHO_DB = -25;
/** What is sent more quietly is not spoken over. In dB relative to full scale, root mean square of a frame. */
const AUDIBLE_DB = -46;
/** A voice that was loud enough stays admitted for so long: between its vowels it is as weak as an echo. */
const HOLD_FRAMES = 200 / FRAME_MS;

const ECHO_SHARE = 10 ** (ECHO_DB / 10);
const AUDIBLE_POWER = 10 ** (AUDIBLE_DB / 10);

/** Tells a voice from the echo of what was sent to it, by its level alone. */
export class LevelGate {
  /** Power of what was sent in each of the last frames. */
  readonly #sentPowers = new Float64Array(ECHO_FRAMES);
  #at = 0;
  #framesSinceLoud = Number.POSITIVE_INFINITY;

  /** Whether the last frame was loud enough by itself. */
  get isLoud(): boolean {
    return this.#framesSinceLoud === 0;
  }

  /** Whether what was sent can still be heard, or its echo. */
  get isSending(): boolean {
    return this.#loudestSent() > AUDIBLE_POWER;
  }

  /** Takes the power of a frame that is sent to the voice, relative to full scale. Silence may be left out. */
  sent(power: number): void {
    if (power > (this.#sentPowers[this.#at] as number)) this.#sentPowers[this.#at] = power;
  }

  /** Takes 20 ms of the voice, every 20 ms. Returns whether they, or those shortly before, are loud enough. */
  admits(samples: Int16Array): boolean {
    const isLoud = framePower(samples) > this.#loudestSent() * ECHO_SHARE;
    this.#framesSinceLoud = isLoud ? 0 : this.#framesSinceLoud + 1;
    this.#at = (this.#at + 1) % ECHO_FRAMES;
    this.#sentPowers[this.#at] = 0;
    return this.#framesSinceLoud < HOLD_FRAMES;
  }

  #loudestSent(): number {
    const powers = this.#sentPowers;
    let loudest = 0;
    for (let i = 0; i < ECHO_FRAMES; i++) if ((powers[i] as number) > loudest) loudest = powers[i] as number;
    return loudest;
  }
}
