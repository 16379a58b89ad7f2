import { afterAll, beforeAll, expect, it } from 'vitest';
import { FakeIvr } from '../fakes/ivr/fake-ivr.ts';
import { activeAfterLastKey, dialIn } from '../support/dial-in.ts';
import { Gateway } from '../support/gateway.ts';
import { waitFor } from '../support/wait-for.ts';

const JOINS = 500;
const AT_ONCE = 24;
const KEYS = ',81234567890#,*123456#';

let gateway: Gateway;
let ivr: FakeIvr;

beforeAll(async () => {
  ivr = await FakeIvr.start({ network: { lossShare: 0.05, jitterMs: 60, seed: 7 } });
  gateway = await Gateway.start();
  await gateway.putTrunk({ host: '127.0.0.1', port: ivr.port });
});
afterAll(async () => {
  await gateway?.stop();
  ivr?.stop();
});

interface Outcome {
  readonly digits: string;
  readonly place: string;
  readonly faults: readonly string[];
  /** From the end of the last key until the call was active; NaN for tones. */
  readonly activeMs: number;
  readonly heardMs: { readonly inMenu: number; readonly later: number };
}

async function join(digits: 'events' | 'tones'): Promise<Outcome> {
  const joined = await dialIn(gateway, ivr, KEYS, { digits });
  const { agent, call, caller } = joined;
  const activeMs = await activeAfterLastKey(gateway, joined);
  await waitFor('the agent to be heard', () => caller.heardMs.later > 0);
  await gateway.agentApi.delete(`/api/call/${call.call_id}`);
  await agent.close();
  const { digits: pressed, faults, heardMs, menu } = caller;
  return { digits: pressed, place: menu.place, faults, activeMs, heardMs };
}

/** Dials in `JOINS` times, some at once. */
async function joinMany(digits: 'events' | 'tones'): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  let begun = 0;
  const one = async (): Promise<void> => {
    while (begun++ < JOINS) outcomes.push(await join(digits));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  return outcomes;
}

function expectRight(outcomes: readonly Outcome[]): void {
  expect(outcomes).toHaveLength(JOINS);
  const wrong = outcomes.filter(
    ({ digits, place, faults, heardMs }) =>
      digits !== '81234567890#*123456#' || place !== 'meeting' || faults.length > 0 || heardMs.inMenu > 0,
  );
  expect(wrong).toEqual([]);
}

const DEADLINE_MS = 15 * 60_000;

it(
  `${JOINS} agents join by telephone-events with 5 % of the packets lost, without a wrong digit`,
  async () => {
    const outcomes = await joinMany('events');
    expectRight(outcomes);
    const activeMs = outcomes.map((each) => each.activeMs).toSorted((a, b) => a - b);
    const at = (share: number): number => Math.round(activeMs[Math.floor(share * (JOINS - 1))]!);
    console.log(
      `active ${[0, 0.5, 0.99, 1].map(at).join(', ')} ms after the last key (least, p50, p99, most)`,
    );
    expect(at(0)).toBeGreaterThanOrEqual(1_000);
    expect(at(1)).toBeLessThan(1_500);
  },
  DEADLINE_MS,
);

it(
  `${JOINS} agents join by tones with 5 % of the packets lost, without a wrong digit`,
  async () => {
    expectRight(await joinMany('tones'));
  },
  DEADLINE_MS,
);
