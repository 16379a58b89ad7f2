import type { BenchContext, CorePlan, Measure } from '../bench.ts';
import { OurGateway } from '../calls/our-gateway.ts';
import { Generator, type Song } from '../generator/generator.ts';
import type { Histogram } from '../metrics-histogram.ts';
import { withSongFile } from '../opus/song-file.ts';
import { measureRounds } from '../rounds.ts';
import { describeTicks, type TickRound, tickMeasures, ticksDuring } from '../tick-spells.ts';
import { DiscordCalls } from './discord-calls.ts';
import { DiscordFarEnds } from './far-ends/discord-far-ends.ts';
import { DISCORD_OPUS } from './voice-song.ts';

const SIP_CALLS = 300;
/** Twenty and the calls would fill a whole core of a slow machine, and then every tick is late. */
const DISCORD_LEGS = 8;
const SECONDS = 10;
const QUICK_SECONDS = 5;

interface Stage {
  readonly sip: OurGateway;
  readonly farEnds: DiscordFarEnds;
  readonly cores: CorePlan;
  readonly song: Song;
}

/** How late the engine's ticks are beside Discord legs that speak and listen, in turns with spells without any. */
export function ticksBesideLegs(context: BenchContext): Promise<Measure[]> {
  return withSongFile(async (file) => {
    const { cores } = context;
    const farEnds = await DiscordFarEnds.start(cores);
    const sip = await OurGateway.start(cores, undefined, farEnds.settings);
    try {
      await sip.grow(SIP_CALLS);
      return await compare({ sip, farEnds, cores, song: { ...DISCORD_OPUS, file } }, context);
    } finally {
      await sip.stop();
      farEnds.stop();
    }
  });
}

async function compare(stage: Stage, context: BenchContext): Promise<Measure[]> {
  const seconds = context.quick ? QUICK_SECONDS : SECONDS;
  // What is new is compiled first.
  await besideLegs(stage, 0);
  const measure = async (): Promise<TickRound> => ({
    quiet: await ticksDuring(stage.sip.gateway, seconds),
    beside: await besideLegs(stage, seconds),
  });
  const rounds = await measureRounds(context, measure, describeTicks);
  const of = `${SIP_CALLS} SIP calls beside ${DISCORD_LEGS} Discord legs`;
  return tickMeasures(rounds, { of, without: 'without Discord legs' });
}

async function besideLegs({ sip, farEnds, cores, song }: Stage, seconds: number): Promise<Histogram> {
  const generator = Generator.start(cores.generators);
  try {
    await generator.sing(song);
    const legs = new DiscordCalls({ gateway: sip.gateway, farEnds, generator });
    await legs.place(DISCORD_LEGS);
    const ticks = await ticksDuring(sip.gateway, seconds);
    await legs.hangUp();
    return ticks;
  } finally {
    generator.stop();
  }
}
