import { SummingBus } from '../audio/summing-bus.ts';

/** One party of a room, as the mixer sees it. Frames are 20 ms at the room's rate and belong to the mixer. */
export interface Party {
  /** Fills `frame` with what the party says in this tick. False: it says nothing, `frame` is left as it is. */
  pull(frame: Int16Array): boolean;
  /** Hands the party what it hears: everyone but itself. Read only; `voiced` false: `frame` is silence. */
  push(frame: Int16Array, voiced: boolean): void;
}

/**
 * Mixes rooms of one rate, one after another, in the same scratch memory: sum everybody once in 32 bits, subtract
 * each listener's own voice, saturate. Silent parties cost a call and nothing else.
 */
export class Mixer {
  readonly #bus: SummingBus;
  readonly #voiced: boolean[] = [];

  constructor(frameSamples: number) {
    this.#bus = new SummingBus(frameSamples);
  }

  /** One tick of one room. */
  mix(parties: readonly Party[]): void {
    this.#bus.makeRoom(parties.length);
    const voices = this.#pullAll(parties);
    if (voices === 0) this.#pushSilence(parties);
    else if (voices === 1) this.#pushOneVoice(parties);
    else if (parties.length === 2) this.#pushAcross(parties);
    else this.#pushMixMinus(parties);
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
    for (let i = 0; i < parties.length; i++) (parties[i] as Party).push(this.#bus.silence, false);
  }

  #pushOneVoice(parties: readonly Party[]): void {
    const speaker = this.#voiced.indexOf(true);
    for (let i = 0; i < parties.length; i++) {
      if (i === speaker) (parties[i] as Party).push(this.#bus.silence, false);
      else (parties[i] as Party).push(this.#bus.voice(speaker), true);
    }
  }

  /** Two who both speak, the usual call: each hears the other as he is. */
  #pushAcross(parties: readonly Party[]): void {
    (parties[0] as Party).push(this.#bus.voice(1), true);
    (parties[1] as Party).push(this.#bus.voice(0), true);
  }

  #pushMixMinus(parties: readonly Party[]): void {
    const bus = this.#bus;
    bus.clear();
    for (let i = 0; i < parties.length; i++) if (this.#voiced[i]) bus.add(i);
    for (let i = 0; i < parties.length; i++) {
      if (!this.#voiced[i]) continue;
      bus.leaveOut(i);
      (parties[i] as Party).push(bus.rest, true);
    }
    bus.leaveOutNobody();
    for (let i = 0; i < parties.length; i++) {
      if (!this.#voiced[i]) (parties[i] as Party).push(bus.rest, true);
    }
  }
}
