/**
 * Child process: the vendor and, where wanted, telephones, on one clock. Takes orders and answers by IPC (see
 * `far-ends-orders.ts`); ends with its parent.
 */
import type { FarEndsAnswer, FarEndsOrder } from './far-ends-orders.ts';
import { LeanVendor } from './lean-vendor.ts';
import { MarkedPhones } from './marked-phones.ts';
import { markIn } from './marks.ts';
import type { Sighting, Sightings } from './sightings.ts';

class FarEnds {
  readonly #vendor: LeanVendor;
  readonly #phones = new MarkedPhones((mark, atUs) => this.#seen.heard.push({ mark, atUs }));
  #seen = nothing();

  static async start(): Promise<FarEnds> {
    const vendor = await LeanVendor.start({
      asked: (mark, atUs) => ends.#seen.asked.push({ mark, atUs }),
      spoken: (mark, atUs) => ends.#seen.spoken.push({ mark, atUs }),
      chunk: (audio, atUs) => ends.#heardChunk(audio, atUs),
    });
    const ends = new FarEnds(vendor);
    return ends;
  }

  private constructor(vendor: LeanVendor) {
    this.#vendor = vendor;
  }

  async answer(order: FarEndsOrder): Promise<FarEndsAnswer | null> {
    switch (order.type) {
      case 'vendor':
        return { type: 'vendor', url: this.#vendor.url };
      case 'phones':
        return { type: 'phones', ports: await this.#phones.open(order.count) };
      case 'call':
        this.#phones.call(order.phone, order.host, order.port);
        return null;
      case 'begin':
        this.#begin();
        return { type: 'begin' };
      case 'end':
        return { type: 'end', sightings: this.#sightings() };
    }
  }

  #begin(): void {
    this.#seen = nothing();
    this.#phones.begin();
    for (const listener of this.#vendor.listeners) listener.begin();
  }

  /** The mark of what it says tells the telephone. */
  #heardChunk(audio: Uint8Array, atUs: number): void {
    const phone = this.#phones.count === 0 ? null : markIn(audio);
    if (phone === null) return;
    this.#seen.chunksUs[phone] ??= [];
    this.#seen.chunksUs[phone].push(atUs);
  }

  #sightings(): Sightings {
    const { asked, spoken, heard, chunksUs } = this.#seen;
    const phones = this.#phones.ticksUs.map((tickUs, phone) => ({ tickUs, chunksUs: chunksUs[phone] ?? [] }));
    const listenedMs = [...this.#vendor.listeners].map((listener) => listener.listenedMs);
    return { asked, spoken, heard, phones, listenedMs };
  }
}

function nothing(): { asked: Sighting[]; spoken: Sighting[]; heard: Sighting[]; chunksUs: number[][] } {
  return { asked: [], spoken: [], heard: [], chunksUs: [] };
}

const ends = await FarEnds.start();
process.on('message', async (order: FarEndsOrder) => {
  const answer = await ends.answer(order);
  if (answer !== null) process.send?.(answer);
});
process.on('disconnect', () => process.exit());
