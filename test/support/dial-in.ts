import type { FakeIvr } from '../fakes/ivr/fake-ivr.ts';
import type { IvrCall, IvrManners } from '../fakes/ivr/ivr-call.ts';
import { Agent } from './agent.ts';
import type { Gateway } from './gateway.ts';
import { readGatewayRows } from './gateway-database.ts';
import type { ShownCall } from './gateway-pair.ts';
import { waitFor } from './wait-for.ts';

/** An agent that dials into a meeting, and its caller's end at the menu. */
export interface DialIn {
  readonly call: ShownCall;
  /** It has spoken, a steady tone, from before the first key on. */
  readonly agent: Agent;
  readonly caller: IvrCall;
}

/** Calls a new number of the menu, with what follows it in `digits`. */
export async function dialIn(
  gateway: Gateway,
  ivr: FakeIvr,
  digits: string,
  manners: Partial<IvrManners> = {},
): Promise<DialIn> {
  const number = ivr.addNumber(manners);
  const call = await gateway.placeCall(`${number}${digits}`);
  const agent = await Agent.join(call.audio.stream_url, gateway.agentKey, { sampleRateHz: 8_000 });
  const tone = agent.startTone(300);
  void agent.closed.then(() => tone.stop());
  return { call, agent, caller: await ivr.caller(number) };
}

/**
 * Waits until the agent is in the call; returns how long after the last key that was, in milliseconds, by the gateway's own
 * clock.
 */
export async function activeAfterLastKey(gateway: Gateway, { agent, call, caller }: DialIn): Promise<number> {
  await agent.waitFor('call_state', { state: 'active' }, 60_000);
  const answeredAt = await waitFor('the answer to be stored', () => {
    const rows = readGatewayRows<{ at: string | null }>(gateway.dataFolder, ANSWERED_AT, call.call_id);
    return rows[0]?.at;
  });
  return Date.parse(answeredAt) - performance.timeOrigin - caller.lastKeyEndMs;
}

const ANSWERED_AT = 'select answered_at as at from calls where call_id = ?';
