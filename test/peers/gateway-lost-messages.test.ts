import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { endedCall } from '../support/ended-call.ts';
import { Gateway } from '../support/gateway.ts';
import { waitFor } from '../support/wait-for.ts';
import { ScriptedPeer, sdp } from '../unit/connectors/sip/signaling/scripted-peer.ts';

const NUMBER = '+33100000001';
/** RFC 3261, section 17.1.1.1: the first repetition comes after T1, the next after twice that. */
const T1_MS = 500;
const TOLERANCE_MS = 200;

/** A message that the peer ignores counts as lost. */
describe('lost SIP messages', () => {
  let gateway: Gateway;
  let peer: ScriptedPeer;
  /** They stay open until the gateway has stopped, so that they get its last messages. */
  const peers: ScriptedPeer[] = [];

  beforeAll(async () => {
    gateway = await Gateway.start();
    await gateway.settingsApi.post('/api/sip/dids', { number: NUMBER, auto_answer: true });
  });
  afterAll(async () => {
    await gateway?.stop();
    for (const each of peers) each.stop();
  });

  beforeEach(async () => {
    peer = await ScriptedPeer.start();
    peers.push(peer);
    peer.facing(gateway.sipPort);
    await gateway.putTrunk({ host: '127.0.0.1', port: peer.port });
  });

  const uriOfPeer = () => `sip:+33123456789@127.0.0.1:${peer.port}`;
  const copiesOf = (startLine: RegExp) => peer.received.filter(({ text }) => startLine.test(text));
  const stateOf = async (callId: string) =>
    (await gateway.agentApi.get(`/api/call/${callId}`)).body.state as string;

  /** Waits until a message has come three times, always the same, and checks when. */
  async function expectThreeCopies(startLine: RegExp): Promise<void> {
    await waitFor(`three copies of ${startLine}`, () => copiesOf(startLine).length >= 3);
    const [first, second, third] = copiesOf(startLine);
    expectAbout(second!.atMs - first!.atMs, T1_MS);
    expectAbout(third!.atMs - second!.atMs, 2 * T1_MS);
    expect([second!.text, third!.text]).toEqual([first!.text, first!.text]);
  }

  /** The fourth copy would come 4 × T1 after the third. */
  async function expectNoFourthCopy(startLine: RegExp): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 4 * T1_MS + TOLERANCE_MS));
    expect(copiesOf(startLine)).toHaveLength(3);
  }

  it('an INVITE is retransmitted until the peer answers', async () => {
    const call = await gateway.placeCall(uriOfPeer());
    await expectThreeCopies(/^INVITE /);
    const invite = await peer.request('INVITE');
    peer.answer(invite, 100);
    await expectNoFourthCopy(/^INVITE /);
    expect(await stateOf(call.call_id)).toBe('connecting');
    peer.answer(invite, 200, { body: sdp() });
    await peer.request('ACK');
    await gateway.waitForState(call.call_id, 'active');
    await gateway.agentApi.delete(`/api/call/${call.call_id}`);
    await expectThreeCopies(/^BYE /);
    peer.answer(await peer.request('BYE'), 200);
    await expectNoFourthCopy(/^BYE /);
    expect(await endedCall(gateway, call.call_id)).toMatchObject({ state: 'ended', result: 'completed' });
  });

  it('an ACK is sent again for each copy of the 200', async () => {
    const call = await gateway.placeCall(uriOfPeer());
    const invite = await peer.request('INVITE');
    for (let copies = 1; copies <= 3; copies++) {
      peer.answer(invite, 200, { body: sdp() });
      await waitFor(`${copies} ACKs`, () => copiesOf(/^ACK /).length === copies);
    }
    expect(await stateOf(call.call_id)).toBe('active');
    expect((await gateway.agentApi.get('/api/calls')).body.calls).toHaveLength(1);
    await gateway.agentApi.delete(`/api/call/${call.call_id}`);
    peer.answer(await peer.request('BYE'), 200);
  });

  it('a 200 is retransmitted until the caller acknowledges it', async () => {
    const uri = `sip:${NUMBER}@127.0.0.1:${gateway.sipPort}`;
    const dialog = { callId: `lost-${peer.port}`, to: uri };
    peer.send('INVITE', uri, { ...dialog, cseq: 1, body: sdp() });
    await expectThreeCopies(/^SIP\/2\.0 200 /);
    const ok = await peer.response(200, 'INVITE');
    const [call] = (await gateway.agentApi.get('/api/calls')).body.calls;
    expect(call.state).toBe('ringing');
    const toTag = ok.headers.to.params.tag!;
    peer.send('ACK', uri, { ...dialog, cseq: 1, toTag, branch: `z9hG4bKack${peer.port}` });
    await gateway.waitForState(call.call_id, 'active');
    await expectNoFourthCopy(/^SIP\/2\.0 200 /);
    await gateway.agentApi.delete(`/api/call/${call.call_id}`);
    peer.answer(await peer.request('BYE'), 200);
    expect(await endedCall(gateway, call.call_id)).toMatchObject({ state: 'ended', result: 'completed' });
  });

  it('a retransmitted INVITE creates one call only', async () => {
    const uri = `sip:${NUMBER}@127.0.0.1:${gateway.sipPort}`;
    const dialog = { callId: `again-${peer.port}`, to: uri };
    for (let copies = 0; copies < 3; copies++) {
      peer.send('INVITE', uri, { ...dialog, cseq: 1, body: sdp() });
    }
    const ok = await peer.response(200, 'INVITE');
    peer.send('ACK', uri, { ...dialog, cseq: 1, toTag: ok.headers.to.params.tag!, branch: 'z9hG4bKagain' });
    const [call] = (await gateway.agentApi.get('/api/calls')).body.calls;
    await gateway.waitForState(call.call_id, 'active');
    expect((await gateway.agentApi.get('/api/calls')).body.calls).toHaveLength(1);
    await gateway.agentApi.delete(`/api/call/${call.call_id}`);
    peer.answer(await peer.request('BYE'), 200);
  });
});

function expectAbout(elapsedMs: number, expectedMs: number): void {
  expect(elapsedMs).toBeGreaterThan(expectedMs - TOLERANCE_MS);
  expect(elapsedMs).toBeLessThan(expectedMs + TOLERANCE_MS);
}
