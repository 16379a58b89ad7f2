import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SipRequest } from '../../../../../support/sip-message.ts';
import { waitFor } from '../../../../../support/wait-for.ts';
import { RecordedLeg } from '../fake-calls.ts';
import { ScriptedPeer, sdp } from '../scripted-peer.ts';
import { ConnectorUnderTest, dialTo, TOKEN, trunkTo } from '../start-connector.ts';

const PUBLIC = '203.0.113.9:40123';

function contactsOf(request: SipRequest): { uri: string; expires: string | undefined }[] {
  const contacts = request.headers.contact as { uri: string; params: Record<string, string> }[];
  return contacts.map(({ uri, params }) => ({ uri, expires: params.expires }));
}

describe('registration', () => {
  let gateway: ConnectorUnderTest;
  let peer: ScriptedPeer;

  beforeEach(async () => {
    gateway = await ConnectorUnderTest.start();
    peer = await ScriptedPeer.start();
    peer.facing(gateway.connector.port!);
  });

  afterEach(async () => {
    await gateway.stop();
    peer.stop();
  });

  function putTrunk(settings: Parameters<typeof trunkTo>[1] = {}): void {
    gateway.connector.putTrunk(trunkTo(peer.port, { register: true, ...settings }));
  }

  function registered(): Promise<unknown> {
    return waitFor('registered', () => gateway.connector.registration('acc_1').state === 'registered');
  }

  it('moves its binding, calls and media to the address where the registrar sees it', async () => {
    putTrunk();
    const first = await peer.request('REGISTER');
    const [inside] = contactsOf(first);
    peer.answer(first, 200, { seenFrom: PUBLIC });
    const second = await peer.request('REGISTER');
    const [outside, former] = contactsOf(second);
    expect(outside?.uri).toContain(`@${PUBLIC}`);
    expect(former).toEqual({ uri: inside?.uri, expires: '0' });
    peer.answer(second, 200, { seenFrom: PUBLIC });
    await registered();
    const { port } = gateway.connector;
    expect(gateway.connector.inboundUri('acc_1')).toBe(`sip:${TOKEN}@203.0.113.9:${port}`);
    const notes = new RecordedLeg();
    const request = dialTo('sip:1@127.0.0.1');
    const leg = gateway.connector.dial(request, notes.media, notes);
    const invite = await peer.request('INVITE');
    expect(contactsOf(invite)[0]?.uri).toContain(`@${PUBLIC}`);
    expect(invite.content).toContain('c=IN IP4 203.0.113.9');
    expect(invite.headers.via[0]?.host).toBe('127.0.0.1');
    peer.answer(invite, 200, { body: sdp(), seenFrom: PUBLIC });
    await notes.waitFor('answered');
    leg.hangUp();
    peer.answer(await peer.request('BYE'), 200, { seenFrom: PUBLIC });
    await leg.released;
    expect(peer.requests('REGISTER')).toHaveLength(2);
  });

  it('keeps the address that its operator configured', async () => {
    const told = await ConnectorUnderTest.start({ advertisedHost: '198.51.100.1' });
    peer.facing(told.connector.port!);
    told.connector.putTrunk(trunkTo(peer.port, { register: true }));
    peer.answer(await peer.request('REGISTER'), 200, { seenFrom: PUBLIC });
    await waitFor('registered', () => told.connector.registration('acc_1').state === 'registered');
    expect(peer.requests('REGISTER')).toHaveLength(1);
    expect(contactsOf(peer.requests('REGISTER')[0]!)[0]?.uri).toContain('@198.51.100.1:');
    await told.stop();
  });

  it('stays registered when the registrar refuses to move the binding', async () => {
    putTrunk();
    peer.answer(await peer.request('REGISTER'), 200, { seenFrom: PUBLIC });
    peer.answer(await peer.request('REGISTER'), 403, { seenFrom: PUBLIC });
    await registered();
  });

  it('removes the binding of a replaced trunk’s late answer before the new one registers', async () => {
    putTrunk();
    const first = await peer.request('REGISTER');
    putTrunk({ password: 'another' });
    peer.answer(first, 200);
    const goodbye = await peer.request('REGISTER');
    expect(contactsOf(goodbye)).toEqual([{ uri: contactsOf(first)[0]?.uri, expires: '0' }]);
    expect(peer.requests('REGISTER')).toHaveLength(2);
    peer.answer(goodbye, 200);
    const fresh = await peer.request('REGISTER');
    expect(contactsOf(fresh)).toEqual([{ uri: contactsOf(first)[0]?.uri, expires: '600' }]);
    peer.answer(fresh, 200);
    await registered();
  });

  it('does not wait long for a registrar that never answers', async () => {
    putTrunk();
    await peer.request('REGISTER');
    const startedMs = performance.now();
    await gateway.connector.close(60_000);
    expect(performance.now() - startedMs).toBeLessThan(30_000);
  });

  it('has the same Contact after a restart, so that the registrar replaces the binding of a crash', async () => {
    putTrunk();
    const before = await peer.request('REGISTER');
    const again = await ConnectorUnderTest.start();
    again.connector.putTrunk(trunkTo(peer.port, { register: true }));
    const after = await peer.request('REGISTER');
    const userOf = (request: SipRequest) => contactsOf(request)[0]?.uri.split('@')[0];
    expect(after.headers['call-id']).not.toBe(before.headers['call-id']);
    expect(userOf(after)).toBe(userOf(before));
    await again.stop();
  });

  it('finds its own expiry among bindings on one line', async () => {
    putTrunk();
    const request = await peer.request('REGISTER');
    const own = contactsOf(request)[0]?.uri;
    peer.answer(request, 200, {
      headers: [`Contact: <sip:other@192.0.2.1>;expires=3600, <${own}>;expires=120`],
    });
    await registered();
    const expiresAt = Date.parse(gateway.connector.registration('acc_1').expiresAt!);
    expect(expiresAt - Date.now()).toBeLessThan(121_000);
  });
});
