import { SummingBus } from '../../audio/summing-bus.ts';
import { frameSamples } from '../../base/frame.ts';
import type { Source } from './source.ts';
import { OTHERS } from './voice-places.ts';

/** Where sources are summed, by sample rate. Legs use it one after another. */
const buses = new Map<number, SummingBus>();

/** Creates it before the first frame, because it compiles WebAssembly. */
function busFor(sampleRateHz: number): SummingBus {
  let bus = buses.get(sampleRateHz);
  if (bus === undefined) {
    bus = new SummingBus(frameSamples(sampleRateHz));
    bus.makeRoom(1);
    buses.set(sampleRateHz, bus);
  }
  return bus;
}

/** The voice of the sources that have none of their own: their sum. */
export class OthersMix {
  readonly #bus: SummingBus;

  constructor(sampleRateHz: number) {
    this.#bus = busFor(sampleRateHz);
  }

  /** Fills a frame. Returns false when all of them are silent; the frame is then undefined. */
  pull(sources: readonly Source[], frame: Int16Array): boolean {
    const bus = this.#bus;
    let heard = 0;
    for (let i = 0; i < sources.length; i++) {
      const source = sources[i]!;
      if (source.voice !== OTHERS || !source.pull(bus.voice(0))) continue;
      if (heard === 0) bus.clear();
      bus.add(0);
      heard++;
    }
    if (heard === 0) return false;
    bus.leaveOutNobody();
    frame.set(bus.rest);
    return true;
  }
}
