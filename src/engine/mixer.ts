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
  readonly #frameSamples: number;
  readonly #silence: Int16Array;
  readonly #total: Int32Array;
  readonly #mixed: Int16Array;
  readonly #said: Int16Array[] = [];
  readonly #voiced: boolean[] = [];

  constructor(frameSamples: number) {
    this.#frameSamples = frameSamples;
    this.#silence = new Int16Array(frameSamples);
    this.#total = new Int32Array(frameSamples);
    this.#mixed = new Int16Array(frameSamples);
  }

  /** One tick of one room. */
  mix(parties: readonly Party[]): void {
    const voices = this.#pullAll(parties);
    if (voices === 0) this.#pushSilence(parties);
    else if (voices === 1) this.#pushOneVoice(parties);
    else if (parties.length === 2) this.#pushAcross(parties);
    else this.#pushMixMinus(parties);
  }

  #pullAll(parties: readonly Party[]): number {
    let voices = 0;
    for (let i = 0; i < parties.length; i++) {
      if (i === this.#said.length) this.#said.push(new Int16Array(this.#frameSamples));
      const voiced = (parties[i] as Party).pull(this.#said[i] as Int16Array);
      this.#voiced[i] = voiced;
      if (voiced) voices++;
    }
    return voices;
  }

  #pushSilence(parties: readonly Party[]): void {
    for (let i = 0; i < parties.length; i++) (parties[i] as Party).push(this.#silence, false);
  }

  #pushOneVoice(parties: readonly Party[]): void {
    const speaker = this.#voiced.indexOf(true);
    for (let i = 0; i < parties.length; i++) {
      if (i === speaker) (parties[i] as Party).push(this.#silence, false);
      else (parties[i] as Party).push(this.#said[speaker] as Int16Array, true);
    }
  }

  /** Two who both speak, the usual call: each hears the other as he is. */
  #pushAcross(parties: readonly Party[]): void {
    (parties[0] as Party).push(this.#said[1] as Int16Array, true);
    (parties[1] as Party).push(this.#said[0] as Int16Array, true);
  }

  #pushMixMinus(parties: readonly Party[]): void {
    this.#sumVoices(parties.length);
    for (let i = 0; i < parties.length; i++) {
      if (!this.#voiced[i]) continue;
      this.#saturateWithout(this.#said[i] as Int16Array);
      (parties[i] as Party).push(this.#mixed, true);
    }
    this.#saturateWithout(this.#silence);
    for (let i = 0; i < parties.length; i++) {
      if (!this.#voiced[i]) (parties[i] as Party).push(this.#mixed, true);
    }
  }

  #sumVoices(count: number): void {
    const total = this.#total;
    total.fill(0);
    for (let i = 0; i < count; i++) {
      if (!this.#voiced[i]) continue;
      const said = this.#said[i] as Int16Array;
      for (let n = 0; n < total.length; n++) total[n] = (total[n] as number) + (said[n] as number);
    }
  }

  #saturateWithout(own: Int16Array): void {
    const total = this.#total;
    const mixed = this.#mixed;
    for (let n = 0; n < mixed.length; n++) {
      const sum = (total[n] as number) - (own[n] as number);
      mixed[n] = Math.max(-32_768, Math.min(32_767, sum));
    }
  }
}
