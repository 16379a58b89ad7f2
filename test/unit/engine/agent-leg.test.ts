import { expect, it } from 'vitest';
import { AgentBells } from '../../../src/engine/agent-bells.ts';
import { AgentLegParty } from '../../../src/engine/agent-leg.ts';
import { voiceCodecsFor } from '../../../src/rtp/open-rtp-leg.ts';
import { Downlink } from '../../../src/threads/downlink.ts';
import { EngineStats } from '../../../src/threads/engine-stats.ts';
import { PlayoutBudget } from '../../../src/threads/playout-budget.ts';
import { Uplink } from '../../../src/threads/uplink.ts';

const RATE_HZ = 8_000;
const codecs = voiceCodecsFor('portable');

function agentLeg(): { leg: AgentLegParty; uplink: Uplink } {
  const budget = new PlayoutBudget({ totalBytes: 1e6, accountBytes: 1e6, onFull: () => {} });
  const uplink = new Uplink(budget.queueOf('account'));
  const host = {
    callId: 'call',
    roomRateHz: RATE_HZ,
    stats: new EngineStats(),
    codecs,
    bells: new AgentBells(),
    post: () => {},
  };
  const placement = {
    legId: 1,
    uplink: uplink.memory,
    bell: null,
    downlink: null,
    clears: [],
    isHeld: false,
    holds: [],
  };
  return { leg: new AgentLegParty(host, placement), uplink };
}

it('awaits ticks while it listens', () => {
  const { leg } = agentLeg();
  expect(leg.isAwaiting).toBe(false);
  leg.listen(new Downlink(RATE_HZ));
  expect(leg.isAwaiting).toBe(true);
  leg.listen(null);
  expect(leg.isAwaiting).toBe(false);
});

it('awaits ticks while it has said more than fits into the ring', () => {
  const { leg, uplink } = agentLeg();
  uplink.write(new Int16Array(4_000), RATE_HZ);
  expect(leg.isAwaiting).toBe(false);
  uplink.write(new Int16Array(4_000), RATE_HZ);
  expect(leg.isAwaiting).toBe(true);
  uplink.clear();
  expect(leg.isAwaiting).toBe(false);
});

it('awaits ticks while nothing but marks does not fit', () => {
  const { leg, uplink } = agentLeg();
  for (let markId = 0; markId < 64; markId++) uplink.mark(markId);
  expect(leg.isAwaiting).toBe(false);
  uplink.mark(64);
  expect(leg.isAwaiting).toBe(true);
});
