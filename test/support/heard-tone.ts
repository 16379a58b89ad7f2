import { Agent, type HeardFrame, type StreamEvent } from './agent.ts';
import type { GatewayPair } from './gateway-pair.ts';

/** A recording during which a shared machine stalled for more than 100 ms says nothing about the gateway. */
const MAX_RECORDINGS = 3;

/** What one agent heard of a tone, and the errors it got meanwhile. */
export interface HeardTone {
  readonly toneHz: number;
  readonly frames: readonly HeardFrame[];
  readonly samples: Int16Array;
  readonly errors: readonly StreamEvent[];
}

export function heardTone(agent: Agent, toneHz: number, from: number, to: number): HeardTone {
  return {
    toneHz,
    frames: agent.heard.slice(from, to),
    samples: agent.heardSamples(from, to),
    errors: errorsOf(agent),
  };
}

export function errorsOf(agent: Agent): StreamEvent[] {
  return agent.events.filter(({ type }) => type === 'call_error');
}

/** A new call between two agents, one at each gateway. */
export async function connectAgents(pair: GatewayPair, sampleRateHz: number): Promise<[Agent, Agent]> {
  const { outbound, inbound } = await pair.connect();
  return [
    await Agent.join(outbound.audio.stream_url, pair.caller.agentKey, { sampleRateHz }),
    await Agent.join(inbound.audio.stream_url, pair.callee.agentKey, { sampleRateHz }),
  ];
}

/** Records again while the machine stalls. Returns the last recording. */
export async function undisturbed<T>(pair: GatewayPair, record: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const before = await skippedTicks(pair);
    const recording = await record();
    if (attempt === MAX_RECORDINGS || (await skippedTicks(pair)) === before) return recording;
  }
}

/** Ticks that either gateway gave up because it did not get the processor for 100 ms. */
async function skippedTicks({ caller, callee }: GatewayPair): Promise<number> {
  const counts = await Promise.all(
    [caller, callee].map((gateway) => gateway.metric('svc_engine_skipped_ticks_total')),
  );
  return counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
}
