import { queryObjects } from 'node:v8';
import { InviteUserAgentClient, InviteUserAgentServer } from 'sip.js/lib/core/index.js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { waitFor } from '../../../../support/wait-for.ts';
import { RecordedLeg } from './fake-calls.ts';
import { ScriptedPeer, sdp } from './scripted-peer.ts';
import { ConnectorUnderTest, NUMBER, trunkTo } from './start-connector.ts';

/** 64*T1, when nothing of an INVITE is repeated any more, and a little. */
const FORGOTTEN_AFTER_MS = 33_000;

/** How many there are on the heap, once all garbage is collected. */
function living(kind: typeof InviteUserAgentClient | typeof InviteUserAgentServer): number {
  return queryObjects(kind, { format: 'count' });
}

describe('an INVITE that was answered', () => {
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

  it('is forgotten while the call that it opened to us goes on, and that can be hung up', async () => {
    const uri = `sip:+33123456789@${gateway.uri}`;
    let cseq = 1;
    await waitFor('the trunk', () => {
      peer.send('OPTIONS', uri, { callId: 'probe', cseq: ++cseq });
      return peer.statuses('OPTIONS').includes(200);
    });
    const headers = ['Supported: 100rel'];
    peer.send('INVITE', uri, { callId: 'c1', cseq: 1, body: sdp(), headers });
    const { leg, notes } = await gateway.answerer.next();
    // The notes of the test are not to keep what the gateway forgets.
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

  it('is forgotten while the call that we placed goes on, and that can be hung up', async () => {
    const notes = new RecordedLeg();
    const request = { callId: 'c2', accountId: 'acc_1', target: 'sip:1@127.0.0.1', agentName: 'A' };
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
});
