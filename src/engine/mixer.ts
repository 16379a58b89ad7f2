import { SummingBus } from '../audio/summing-bus.ts';

/** A participant in a room. Frames are 20 ms at the room's rate and belong to the mixer. */
export interface Party {
  /**
   * Fills `frame` with the party's audio of this tick. Returns false when it is silent; the content of `frame` is then undefined.
   */
  pull(frame: Int16Array): boolean;
  /**
   * Passes the party the mix without its own voice. `frame` is read-only; `voiced` is false when it is silence. `speaker`:
   * which of the parties alone is heard, NO_ONE when it is none or several.
   */
  push(frame: Int16Array, voiced: boolean, speaker: number): void;
}

export const NO_ONE = -1;

/**
 * Mixes rooms of one sample rate, one after another, in the same scratch memory. It sums all voices once in 32 bits,
 * subtracts each listener's own voice and saturates. A silent party costs only a function call.
 */
export class Mixer {
  readonly #bus: SummingBus;
  readonly #voiced: boolean[] = [];

  constructor(frameSamples: number) {
    this.#bus = new SummingBus(frameSamples);
  }

  /** Mixes one tick of one room. */
  mix(parties: readonly Party[]): void {
    this.#bus.makeRoom(parties.length);
    const voices = this.#pullAll(parties);
    if (voices === 0) this.#pushSilence(parties);
    else if (voices === 1) this.#pushOneVoice(parties);
    else if (parties.length === 2) this.#pushAcross(parties);
    else this.#pushMixMinus(parties, voices);
  }

  #pullAll(parties: readonly Party[]): number {
    let voices = 0;
    for (let i = 0; i < parties.length; i++) {
      const voiced = (parties[i] as Party).pull(this.#bus.voice(i));
      this.#voiced[i] = voiced;
      if (voiced) voices++;
    }
    return voices;
  }

  #pushSilence(parties: readonly Party[]): void {
    for (let i = 0; i < parties.length; i++) (parties[i] as Party).push(this.#bus.silence, false, NO_ONE);
  }

  #pushOneVoice(parties: readonly Party[]): void {
    const speaker = this.#voiced.indexOf(true);
    for (let i = 0; i < parties.length; i++) {
      if (i === speaker) (parties[i] as Party).push(this.#bus.silence, false, NO_ONE);
      else (parties[i] as Party).push(this.#bus.voice(speaker), true, speaker);
    }
  }

  /** Both parties of a two-party room speak, the usual call: each gets the other's frame unmixed. */
  #pushAcross(parties: readonly Party[]): void {
    (parties[0] as Party).push(this.#bus.voice(1), true, 1);
    (parties[1] as Party).push(this.#bus.voice(0), true, 0);
  }

  #pushMixMinus(parties: readonly Party[], voices: number): void {
    const bus = this.#bus;
    bus.clear();
    for (let i = 0; i < parties.length; i++) if (this.#voiced[i]) bus.add(i);
    for (let i = 0; i < parties.length; i++) {
      if (!this.#voiced[i]) continue;
      bus.leaveOut(i);
      (parties[i] as Party).push(bus.rest, true, voices === 2 ? this.#otherThan(i) : NO_ONE);
    }
    bus.leaveOutNobody();
    for (let i = 0; i < parties.length; i++) {
      if (!this.#voiced[i]) (parties[i] as Party).push(bus.rest, true, NO_ONE);
    }
  }

  /** The first other party that speaks. */
  #otherThan(speaker: number): number {
    const first = this.#voiced.indexOf(true);
    return first === speaker ? this.#voiced.indexOf(true, speaker + 1) : first;
  }
}
