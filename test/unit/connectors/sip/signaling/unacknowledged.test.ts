import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { waitFor } from '../../../../support/wait-for.ts';
import { ScriptedPeer, sdp } from './scripted-peer.ts';
import { ConnectorUnderTest, NUMBER, trunkTo } from './start-connector.ts';

/** 64*T1, for which a 2xx is repeated. */
const TIMER_H_MS = 32_000;

describe('a call that is answered and never acknowledged', () => {
  let gateway: ConnectorUnderTest;
  let peer: ScriptedPeer;

  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
    gateway = await ConnectorUnderTest.start();
    peer = await ScriptedPeer.start();
    peer.facing(gateway.connector.port!);
    gateway.connector.putTrunk(trunkTo(peer.port));
    gateway.connector.putNumber(NUMBER);
  });

  afterEach(async () => {
    vi.useRealTimers();
    peer.stop();
    await gateway.stop();
  });

  it('ends with a reason after timer H, says BYE, and repeats nothing any more', async () => {
    const uri = `sip:${NUMBER.number}@${gateway.uri}`;
    let cseq = 1;
    await waitFor('the trunk', () => {
      peer.send('OPTIONS', uri, { callId: 'probe', cseq: ++cseq });
      return peer.statuses('OPTIONS').includes(200);
    });
    peer.send('INVITE', uri, { callId: 'c1', cseq: 1, body: sdp() });
    const { leg, notes } = await gateway.answerer.next();
    leg.accept();
    await peer.response(200, 'INVITE');
    await vi.advanceTimersByTimeAsync(TIMER_H_MS - 2_000);
    expect(notes.log).toEqual([]);
    await vi.advanceTimersByTimeAsync(3_000);
    await notes.waitFor('ended lost');
    expect(notes.termination).toEqual({
      result: 'disconnected',
      reason: 'the caller did not acknowledge the answer within 32 s',
    });
    peer.answer(await peer.request('BYE'), 200);
    await leg.released;
    const repeated = peer.statuses('INVITE').length;
    await vi.advanceTimersByTimeAsync(TIMER_H_MS);
    expect(peer.statuses('INVITE')).toHaveLength(repeated);
  });
});
