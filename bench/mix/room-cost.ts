/** Child process on the gateway's core: prints the cost of a tick, in microseconds, for each `PARTIES:HZ`. */
import { frameSamples } from '../../src/base/frame.ts';
import { Mixer, type Party } from '../../src/engine/mixer.ts';
import { quantile } from '../quantiles.ts';

const WARM_UP_TICKS = 300;
const TICKS = 2_000;

/** Speaks noise continuously and copies what it hears, as a leg would. */
class Speaker implements Party {
  readonly #said: Int16Array;
  readonly #heard: Int16Array;

  constructor(lengthSamples: number) {
    this.#said = Int16Array.from({ length: lengthSamples }, () => Math.round((Math.random() - 0.5) * 8_000));
    this.#heard = new Int16Array(lengthSamples);
  }

  pull(frame: Int16Array): boolean {
    frame.set(this.#said);
    return true;
  }

  push(frame: Int16Array): void {
    this.#heard.set(frame);
  }
}

/**
 * Returns the median of the microseconds per tick of a room in which everyone speaks, the worst case: the mixer with
 * parties that only copy, without codecs and network.
 */
function tickCostUs(parties: number, sampleRateHz: number): number {
  const lengthSamples = frameSamples(sampleRateHz);
  const mixer = new Mixer(lengthSamples);
  const room = Array.from({ length: parties }, () => new Speaker(lengthSamples));
  const costsUs: number[] = [];
  for (let tick = -WARM_UP_TICKS; tick < TICKS; tick++) {
    const beganMs = performance.now();
    mixer.mix(room);
    if (tick >= 0) costsUs.push((performance.now() - beganMs) * 1_000);
  }
  return quantile(costsUs, 0.5);
}

for (const room of process.argv.slice(2)) {
  const [parties = 0, sampleRateHz = 0] = room.split(':').map(Number);
  console.log(tickCostUs(parties, sampleRateHz));
}
