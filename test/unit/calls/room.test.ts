import { describe, expect, it } from 'vitest';
import type { CallActor } from '../../../src/calls/call-actor.ts';
import { type CallDomain, hasRoomToRing, hasRoomToTalk } from '../../../src/calls/call-domain.ts';
import { CallRegistry } from '../../../src/calls/call-registry.ts';
import type { CallState } from '../../../src/calls/call-state.ts';

const RINGS: CallState = { name: 'ringing', accepting: false };
const ACCEPTED: CallState = { name: 'ringing', accepting: true };
const TALKS: CallState = { name: 'active', onHold: false };
const CONNECTS: CallState = { name: 'connecting', waiting: null, progress: null };

describe('the room of an account for two calls', () => {
  it.each<[string, readonly CallState[], boolean, boolean]>([
    ['no call', [], true, true],
    ['one that rings', [RINGS], true, true],
    ['two that ring', [RINGS, RINGS], false, true],
    ['one that rings and one that talks', [RINGS, TALKS], false, true],
    ['one that is accepted and one that connects', [ACCEPTED, CONNECTS], false, false],
    ['two that talk beside two that ring', [TALKS, TALKS, RINGS, RINGS], false, false],
  ])('%s', (_, states, rings, talks) => {
    const registry = new CallRegistry();
    for (const [i, state] of states.entries())
      registry.add({ identity: { callId: `call_${i}`, accountId: 'acc_1' }, state } as unknown as CallActor);
    const domain = { registry, maxCallsPerAccount: 2 } as unknown as CallDomain;
    expect([hasRoomToRing(domain, 'acc_1'), hasRoomToTalk(domain, 'acc_1')]).toEqual([rings, talks]);
    expect([hasRoomToRing(domain, 'acc_2'), hasRoomToTalk(domain, 'acc_2')]).toEqual([true, true]);
  });
});
