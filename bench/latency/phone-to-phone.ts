import { claimRtpPorts } from '../../test/support/free-ports.ts';
import type { Anchor, BenchContext, Measure } from '../bench.ts';
import { Generator } from '../generator/generator.ts';
import { JANUS } from '../janus/janus-process.ts';
import { howToGet } from '../needed-program.ts';
import { quantile } from '../quantiles.ts';
import { type Bridge, type PhonePair, startOurBridge } from './bridge.ts';
import { startJanusBridge } from './janus-bridge.ts';
import { probePhones, takesMs } from './probe.ts';

const SETTLE_S = 3;
const SHARES = [
  { share: 0.5, name: 'p50', atMost: 0.55 },
  { share: 0.99, name: 'p99', atMost: 0.35 },
] as const;

/**
 * Telephone to telephone through the mix. The rooms of our engine carry load, Janus has one room and the core to
 * itself: with hundreds it would only look worse.
 */
export async function phoneToPhone(
  context: BenchContext,
  calls: number,
  loads: readonly number[],
): Promise<Measure[]> {
  const measures: Measure[] = [];
  for (const load of loads) {
    const rooms = Math.max(1, Math.round(calls * load));
    const [ours, janus]: [number[][], number[][]] = [[], []];
    for (let round = 1; round <= context.rounds; round++) {
      ours.push(await cross(context, rooms, startOurBridge));
      if (howToGet(JANUS) === null) janus.push(await cross(context, 1, startJanusBridge));
      context.progress(`${rooms} rooms, round ${round}: p50 ${show(ours)}, Janus ${show(janus)} ms`);
    }
    measures.push(...measuresOf(rooms, load, ours, janus));
  }
  return measures;
}

function measuresOf(rooms: number, load: number, ours: number[][], janus: number[][]): Measure[] {
  return SHARES.map(({ share, name, atMost }) => ({
    name: `phone to phone ${name} at ${load * 100} % (${rooms} rooms)`,
    unit: 'ms',
    ours: ours.map((passages) => quantile(passages, share)),
    anchor: anchorOf(janus.map((passages) => quantile(passages, share))),
    target: { atMost },
    note: 'in all, with the jitter buffer; a bench-only pairing of our legs, the API has none',
  }));
}

function anchorOf(values: readonly number[]): Anchor {
  const name = 'Janus AudioBridge, one room';
  return values.length > 0 ? { name, values } : { name, missing: JANUS.apt };
}

/** Milliseconds that impulses took from the first pair's one telephone to the other, with all others talking. */
async function cross(
  { cores, quick }: BenchContext,
  rooms: number,
  start: (prefix: readonly string[], pairs: readonly PhonePair[]) => Promise<Bridge>,
): Promise<number[]> {
  const probes = await claimRtpPorts(4);
  const generator = Generator.start(cores.generators);
  try {
    const phones = rooms > 1 ? await generator.openPhones(2 * (rooms - 1)) : [];
    const talking = Array.from({ length: rooms - 1 }, (_, room): PhonePair => pairOf(phones, room));
    const probed: PhonePair = [probes.first, probes.first + 2];
    // In the middle of the others, not first or last in their tick.
    const middle = talking.length >> 1;
    const bridge = await start(cores.gateway, talking.toSpliced(middle, 0, probed));
    try {
      const legs = bridge.ports.toSpliced(middle, 1).flat();
      for (const [phone, port] of legs.entries()) generator.call(phone, '127.0.0.1', port);
      const [from, to] = bridge.ports[middle] as PhonePair;
      const seconds = SETTLE_S + (quick ? 7 : 15);
      const [a, b] = [
        { port: probed[0], remote: from },
        { port: probed[1], remote: to },
      ];
      return takesMs((await probePhones(a, b, cores.generators, seconds)).crossed);
    } finally {
      await bridge.stop();
    }
  } finally {
    generator.stop();
    probes.release();
  }
}

function pairOf(ports: readonly number[], room: number): PhonePair {
  return [ports[2 * room] as number, ports[2 * room + 1] as number];
}

function show(rounds: readonly number[][]): string {
  return quantile(rounds.at(-1) ?? [], 0.5).toFixed(1);
}
