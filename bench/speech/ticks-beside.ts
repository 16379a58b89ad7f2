import type { BenchContext, Measure } from '../bench.ts';
import { Generator } from '../generator/generator.ts';
import type { Histogram } from '../metrics-histogram.ts';
import { describeTicks, type TickRound, tickMeasures, ticksDuring } from '../tick-spells.ts';
import { BusyVendor, SPEECH } from './busy-vendor.ts';
import { HostedGateway } from './hosted-gateway.ts';

const SIP_CALLS = 50;
const HOSTED_CALLS = 50;
const SECONDS = 10;
const QUICK_SECONDS = 5;

/** How late the engine's ticks are beside hosted calls, in turns with spells without any. */
export async function ticksBesideSpeech(context: BenchContext): Promise<Measure[]> {
  const { cores, quick } = context;
  const vendor = await BusyVendor.start(cores);
  const generator = Generator.start(cores.generators);
  try {
    const hosted = await HostedGateway.start(cores, generator, vendor.url);
    try {
      await hosted.place(SIP_CALLS);
      await hosted.host();
      // What is new is compiled first.
      await besideHosted(hosted, 0);
      const rounds: TickRound[] = [];
      const seconds = quick ? QUICK_SECONDS : SECONDS;
      for (let round = 1; round <= context.rounds; round++) {
        const quiet = await ticksDuring(hosted.gateway, seconds);
        rounds.push({ quiet, beside: await besideHosted(hosted, seconds) });
        context.progress(`ticks, round ${round}: ${describeTicks(rounds.at(-1) as TickRound)}`);
      }
      const of = `${SIP_CALLS} SIP calls beside ${HOSTED_CALLS} hosted ones`;
      return tickMeasures(rounds, { of, without: 'without hosted calls' });
    } finally {
      await hosted.stop();
    }
  } finally {
    generator.stop();
    vendor.stop();
  }
}

async function besideHosted(hosted: HostedGateway, seconds: number): Promise<Histogram> {
  const callIds = await hosted.place(HOSTED_CALLS);
  for (const callId of callIds) await hosted.say(callId, SPEECH[0]);
  const ticks = await ticksDuring(hosted.gateway, seconds);
  await hosted.hangUp(callIds);
  return ticks;
}
