import { randomUUID } from 'node:crypto';
import { Tone } from '../../support/tone.ts';

const SAMPLE_RATE_HZ = 48_000;
const AMPLITUDE = 0.2;

/** A person in a meeting whose voice is one tone. */
export class Participant {
  readonly id = randomUUID();
  readonly name: string;
  /** The number of the voice in the meeting. */
  readonly voice: number;
  /** RTP's synchronization source of the voice. */
  readonly ssrc: number;
  isSpeaking = true;
  readonly #tone: Tone;
  readonly #frame = new Int16Array((SAMPLE_RATE_HZ * 20) / 1000);

  constructor(name: string, toneHz: number, voice: number) {
    this.name = name;
    this.voice = voice;
    this.ssrc = 0x1000_0000 + voice;
    this.#tone = new Tone(toneHz, SAMPLE_RATE_HZ, AMPLITUDE);
  }

  /** The next 20 ms, valid until the next call. */
  nextFrame(): Int16Array {
    this.#tone.fill(this.#frame);
    return this.#frame;
  }
}
