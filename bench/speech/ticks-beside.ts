import type { BenchContext, Measure } from '../bench.ts';
import { Generator } from '../generator/generator.ts';
import type { Histogram } from '../metrics-histogram.ts';
import { describeTicks, type TickRound, tickMeasures, ticksDuring } from '../tick-spells.ts';
import { BusyVendor, SPEECH } from './busy-vendor.ts';
import { HostedGateway } from './hosted-gateway.ts';
import { phonesOfTwo, TalkingPhones } from './talking-phones.ts';

const FEW = { sip: 50, hosted: 50 } as const;
const MANY = { sip: 300, hosted: 32 } as const;
const SECONDS = 10;
const QUICK_SECONDS = 5;

type Phones = Parameters<typeof HostedGateway.start>[1];

/** How late the engine's ticks are beside hosted calls, in turns with spells without any. */
export async function ticksBesideSpeech(context: BenchContext): Promise<Measure[]> {
  const generator = Generator.start(context.cores.generators);
  try {
    return await ticksBeside(FEW, generator, context);
  } finally {
    generator.stop();
  }
}

/** The same of many calls, beside voices that speak in noise, so that both stages of voice detection are at work. */
export async function ticksBesideVoices(context: BenchContext): Promise<Measure[]> {
  const generator = Generator.start(context.cores.generators);
  const talking = new TalkingPhones();
  try {
    return await ticksBeside(MANY, phonesOfTwo(generator, MANY.sip, talking), context);
  } finally {
    talking.stop();
    generator.stop();
  }
}

async function ticksBeside(
  calls: { readonly sip: number; readonly hosted: number },
  phones: Phones,
  context: BenchContext,
): Promise<Measure[]> {
  const { cores, quick } = context;
  const vendor = await BusyVendor.start(cores);
  try {
    const hosted = await HostedGateway.start(cores, phones, vendor.url);
    try {
      await hosted.place(calls.sip);
      await hosted.host();
      // What is new is compiled first.
      await besideHosted(hosted, calls.hosted, 0);
      const rounds: TickRound[] = [];
      const seconds = quick ? QUICK_SECONDS : SECONDS;
      for (let round = 1; round <= context.rounds; round++) {
        const quiet = await ticksDuring(hosted.gateway, seconds);
        rounds.push({ quiet, beside: await besideHosted(hosted, calls.hosted, seconds) });
        context.progress(`ticks, round ${round}: ${describeTicks(rounds.at(-1) as TickRound)}`);
      }
      const of = `${calls.sip} SIP calls beside ${calls.hosted} hosted ones`;
      return tickMeasures(rounds, { of, without: 'without hosted calls' });
    } finally {
      await hosted.stop();
    }
  } finally {
    vendor.stop();
  }
}

async function besideHosted(hosted: HostedGateway, count: number, seconds: number): Promise<Histogram> {
  const callIds = await hosted.place(count);
  for (const callId of callIds) await hosted.say(callId, SPEECH[0]);
  const ticks = await ticksDuring(hosted.gateway, seconds);
  await hosted.hangUp(callIds);
  return ticks;
}
