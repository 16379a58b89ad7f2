import { Agent, type HeardFrame, type StreamEvent } from './agent.ts';
import type { GatewayPair } from './gateway-pair.ts';

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
    errors: agent.errors,
  };
}

/** A new call between two agents, one at each gateway. */
export async function connectAgents(pair: GatewayPair, sampleRateHz: number): Promise<[Agent, Agent]> {
  const { outbound, inbound } = await pair.connect();
  return [
    await Agent.join(outbound.audio.stream_url, pair.caller.agentKey, { sampleRateHz }),
    await Agent.join(inbound.audio.stream_url, pair.callee.agentKey, { sampleRateHz }),
  ];
}
