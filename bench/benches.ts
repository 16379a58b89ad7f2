import { alternativesBench } from './alternatives/alternatives.bench.ts';
import type { Bench } from './bench.ts';
import { bootBench } from './boot/boot.bench.ts';
import { bridgeBench } from './bridge/bridge.bench.ts';
import { callsBench } from './calls/calls.bench.ts';
import { clearBench } from './clear/clear.bench.ts';
import { discordBenches } from './discord/discord.bench.ts';
import { idleBench } from './idle/idle.bench.ts';
import { inlineBenches } from './inline/inline.bench.ts';
import { latencyBench } from './latency/latency.bench.ts';
import { mcpBench } from './mcp/mcp.bench.ts';
import { mixBench } from './mix/mix.bench.ts';
import { opusBench } from './opus/opus.bench.ts';
import { overloadBench } from './overload/overload.bench.ts';
import { qualityBench } from './quality/quality.bench.ts';
import { restBench } from './rest/rest.bench.ts';
import { cappedBench } from './setup/capped.bench.ts';
import { setupBench } from './setup/setup.bench.ts';
import { slackBench } from './slack/slack.bench.ts';
import { speechBenches } from './speech/speech.bench.ts';
import { streamsBench } from './streams/streams.bench.ts';
import { tickBench } from './tick/tick.bench.ts';
import { webrtcBenches } from './webrtc/webrtc.bench.ts';
import { wsBench } from './ws/ws.bench.ts';

/** In the order in which they run and appear in the table. */
export const benches: readonly Bench[] = [
  callsBench,
  opusBench,
  latencyBench,
  tickBench,
  clearBench,
  restBench,
  wsBench,
  mcpBench,
  alternativesBench,
  setupBench,
  cappedBench,
  mixBench,
  idleBench,
  overloadBench,
  streamsBench,
  bridgeBench,
  ...discordBenches,
  ...webrtcBenches,
  ...speechBenches,
  ...inlineBenches,
  slackBench,
  bootBench,
  qualityBench,
];
