import { queryObjects } from 'node:v8';
import { InviteUserAgentClient, InviteUserAgentServer } from 'sip.js/lib/core/index.js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { waitFor } from '../../../../support/wait-for.ts';
import { RecordedLeg } from './fake-calls.ts';
import { ScriptedPeer, sdp } from './scripted-peer.ts';
import { ConnectorUnderTest, dialTo, NUMBER, trunkTo } from './start-connector.ts';

/** 64*T1, during which a 2xx is repeated. */
const TIMER_H_MS = 32_000;
const FORGOTTEN_AFTER_MS = TIMER_H_MS + 1_000;

/** Number of instances on the heap after a garbage collection. */
function living(kind: typeof InviteUserAgentClient | typeof InviteUserAgentServer): number {
  return queryObjects(kind, { format: 'count' });
}

describe('an answered INVITE', () => {
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

  /** Returns the URI of the number once the trunk's address has been looked up. */
  async function reachable(): Promise<string> {
    const uri = `sip:${NUMBER.number}@${gateway.uri}`;
    let cseq = 1;
    await waitFor('the trunk', () => {
      peer.send('OPTIONS', uri, { callId: 'probe', cseq: ++cseq });
      return peer.statuses('OPTIONS').includes(200);
    });
    return uri;
  }

  it('is freed while an inbound call continues, which can still be hung up', async () => {
    const uri = await reachable();
    const headers = ['Supported: 100rel'];
    peer.send('INVITE', uri, { callId: 'c1', cseq: 1, body: sdp(), headers });
    const { leg, notes } = await gateway.answerer.next();
    // The test's own notes must not keep objects alive that the gateway frees.
    gateway.answerer.calls.length = 0;
    leg.accept();
    const { headers: answer } = await peer.response(200, 'INVITE');
    expect(living(InviteUserAgentServer)).toBe(1);
    const contact = (answer.contact as { uri: string }[])[0]!.uri;
    peer.send('ACK', contact, { callId: 'c1', cseq: 1, to: uri, toTag: answer.to.params.tag! });
    await notes.waitFor('answered');
    await vi.advanceTimersByTimeAsync(FORGOTTEN_AFTER_MS);
    expect(living(InviteUserAgentServer)).toBe(0);
    leg.hangUp();
    peer.answer(await peer.request('BYE'), 200);
    await leg.released;
    notes.media.close();
  });

  it('is freed while an outbound call continues, which can still be hung up', async () => {
    const notes = new RecordedLeg();
    const request = dialTo('sip:1@127.0.0.1');
    const leg = gateway.connector.dial(request, notes.media, notes);
    peer.answer(await peer.request('INVITE'), 200, { body: sdp() });
    await notes.waitFor('answered');
    expect(living(InviteUserAgentClient)).toBe(1);
    await vi.advanceTimersByTimeAsync(FORGOTTEN_AFTER_MS);
    expect(living(InviteUserAgentClient)).toBe(0);
    leg.hangUp();
    peer.answer(await peer.request('BYE'), 200);
    await leg.released;
    notes.media.close();
  });

  it('ends the call after timer H without an ACK, with a reason and BYE, and is not repeated again', async () => {
    const uri = await reachable();
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
