/** Audio in pieces of whole samples: vendors and networks also cut within one. */
export class WholeSamples {
  readonly #sampleBytes: number;
  #rest: Uint8Array = new Uint8Array(0);

  constructor(sampleBytes: number) {
    this.#sampleBytes = sampleBytes;
  }

  /** Returns all whole samples so far. */
  take(data: Uint8Array): Uint8Array {
    const all = this.#rest.length === 0 ? data : Buffer.concat([this.#rest, data]);
    const end = all.length - (all.length % this.#sampleBytes);
    this.#rest = all.subarray(end);
    return all.subarray(0, end);
  }
}
