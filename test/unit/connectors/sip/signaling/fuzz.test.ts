import { afterEach, expect, it } from 'vitest';
import { slowness } from '../../../../support/linear-time.ts';
import { SeededRandom } from '../../../../support/seeded-random.ts';
import { FuzzGateway, type Held } from '../../../../support/sip-fuzz/fuzz-gateway.ts';
import { type Fuzzed, SipSeeds } from '../../../../support/sip-fuzz/sip-seeds.ts';
import { threadCpuClock } from '../../../../support/thread-cpu.ts';

/** `npm run fuzz:sip` runs all of them; CI a slice. */
const IS_FULL = process.env.FUZZ_SIP === 'full';
const MESSAGES = IS_FULL ? 1_000_000 : 20_000;
const DESCRIPTIONS = IS_FULL ? 100_000 : 2_000;
const SEED = Number(process.env.FUZZ_SEED ?? 1);
const WARM_UP = 2_000;
const REFRESH_EVERY = 500;
const DRAIN_EVERY = 5_000;
const TIMEOUT_MS = IS_FULL ? 3_600_000 : 180_000;
/** One in 10,000 may take longer; a slice is too short for that, so there it is one in 1,000. */
const SHARE = IS_FULL ? 0.9999 : 0.999;
const MOST_MS = 2;

let gateway: FuzzGateway;

afterEach(() => gateway.stop());

it.each([
  ['messages', MESSAGES, (seeds: SipSeeds) => seeds.next()],
  ['descriptions', DESCRIPTIONS, (seeds: SipSeeds) => seeds.nextSdp()],
] as const)(
  'mutated %s are handled quickly, crash nothing and leave nothing behind',
  async (what, count, next) => {
    const cpu = threadCpuClock();
    const random = new SeededRandom(SEED);
    gateway = await FuzzGateway.start();
    gateway.fate = () => random.pick(['accept', 'accept', 'refuse', 'ring', 'none']);
    const seeds = new SipSeeds(gateway, random);
    // A trunk that has answered has timers of its own.
    await seeds.refresh();
    const before = await drained(seeds);
    const timesMs = new Float64Array(count);
    const slowest: { ms: number; head: string }[] = [];
    let live = 0;
    for (let i = -WARM_UP; i < count; i++) {
      if (i % REFRESH_EVERY === 0) {
        await seeds.refresh();
        live = Math.max(live, gateway.held().dialogs);
      }
      const fuzzed = next(seeds);
      const startMs = cpu.nowMs();
      await handled(fuzzed);
      const ms = cpu.nowMs() - startMs;
      if (i >= 0) timesMs[i] = ms;
      if (i >= 0 && ms > MOST_MS) slowest.push({ ms, head: fuzzed.bytes.toString('latin1', 0, 120) });
      if (i % 20 === 0) {
        gateway.clock.advance(20);
        await gateway.settle();
      }
      if (i % DRAIN_EVERY === DRAIN_EVERY - 1) expect(await drained(seeds)).toEqual(before);
    }
    expect(await drained(seeds)).toEqual(before);
    timesMs.sort();
    const at = (share: number): string => timesMs[Math.min(Math.floor(count * share), count - 1)]!.toFixed(3);
    console.log(
      `fuzz: ${count} ${what}, seed ${SEED}, ${cpu.kind} time in ms: p50 ${at(0.5)}, p99 ${at(0.99)}, p99.9 ${at(0.999)}, p99.99 ${at(0.9999)}, max ${at(1)};`,
      `at most ${live} dialogs at once; ${JSON.stringify(Object.fromEntries(gateway.counters))}`,
    );
    if (slowest.length > 0) console.log(slowest.toSorted((one, other) => other.ms - one.ms).slice(0, 10));
    expect(gateway.faults.filter((text) => text.startsWith('SIP message could not'))).toEqual([]);
    expect(live).toBeGreaterThan(5);
    expect(timesMs[Math.floor(count * SHARE)]).toBeLessThan(MOST_MS * slowness());
  },
  TIMEOUT_MS,
);

/** Includes the work of its immediate promises. */
async function handled({ bytes, source }: Fuzzed): Promise<void> {
  gateway.deliver(bytes, source);
  for (let i = 0; i < 3; i++) await undefined;
}

async function drained(seeds: SipSeeds): Promise<Held> {
  gateway.unregister();
  seeds.forget();
  return gateway.drain();
}
