import { Tone } from '../../support/tone.ts';
import type { Place } from './menu.ts';

const RATE_HZ = 8_000;
const FRAME = 160;
const AMPLITUDE = 0.2;

/** What a menu says, as tones: pitches of 200 ms in turns, so that tests can tell what is said. None is of the keypad. */
const PITCHES_HZ: Readonly<Record<Place | 'wrong', readonly number[]>> = {
  'asks-id': [400, 500],
  'asks-passcode': [500, 600],
  wrong: [300],
  'waiting-room': [350, 440],
  'waits-for-host': [440, 550],
  meeting: [600],
  'hangs-up': [300, 250],
};
const PITCH_FRAMES = 10;

/** Says one thing after the other, in frames of 20 ms at 8 kHz. */
export class Prompts {
  readonly #frames: number;
  readonly #frame = new Int16Array(FRAME);
  #queue: Tone[][] = [];

  /** A prompt takes `promptMs`, in steps of 20 ms. */
  constructor(promptMs: number) {
    this.#frames = Math.max(1, Math.round(promptMs / 20));
  }

  get isPlaying(): boolean {
    return this.#queue.length > 0;
  }

  /** Says these from now on, and nothing of what was left. */
  play(...what: (Place | 'wrong')[]): void {
    this.#queue = what.map((each) => this.#prompt(PITCHES_HZ[each]));
  }

  stop(): void {
    this.#queue = [];
  }

  /** The next 20 ms; silence when there is nothing to say. The frame is reused. */
  next(): Int16Array {
    const tone = this.#queue[0]?.shift();
    if (tone === undefined) this.#frame.fill(0);
    else tone.fill(this.#frame);
    if (this.#queue[0]?.length === 0) this.#queue.shift();
    return this.#frame;
  }

  /** The tone of each frame. */
  #prompt(pitchesHz: readonly number[]): Tone[] {
    const tones = pitchesHz.map((hz) => new Tone(hz, RATE_HZ, AMPLITUDE));
    return Array.from(
      { length: this.#frames },
      (_, i) => tones[Math.floor(i / PITCH_FRAMES) % tones.length]!,
    );
  }
}
