import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endedCall } from '../support/ended-call.ts';
import { PhoneLine } from '../support/phone-line.ts';
import { requirePeer } from '../support/require-peer.ts';
import { ScriptedPeer } from '../unit/connectors/sip/signaling/scripted-peer.ts';

const RINGS_AGENT = '+33100000001';
const ANSWERS_ITSELF = '+33100000002';
const NOT_LISTED = '+33100000003';

describe.skipIf(requirePeer('baresip'))('calls between an agent and a phone', () => {
  let line: PhoneLine;

  beforeAll(async () => {
    line = await PhoneLine.start();
    await line.listNumber(RINGS_AGENT, false);
    await line.listNumber(ANSWERS_ITSELF, true);
  });
  afterAll(() => line?.stop());

  const api = () => line.gateway.agentApi;
  const path = (call: { call_id: string }) => `/api/call/${call.call_id}`;
  /** Waits until the call has ended for both the agent and the phone. */
  async function bothEnded(call: { call_id: string }) {
    const { param } = await line.phone.waitFor('CALL_CLOSED');
    const { state, result, reason } = await endedCall(line.gateway, call.call_id);
    expect((await api().get('/api/calls')).body).toEqual({ calls: [] });
    return { phone: param, state, result, reason };
  }

  describe('that the agent places', () => {
    it('are active once the phone answers, until the agent hangs up', async () => {
      const call = await line.ringPhone();
      expect((await api().get(path(call))).body.state).toBe('connecting');
      await line.phone.answer();
      await line.gateway.waitForState(call.call_id, 'active');
      await line.phone.waitFor('CALL_ESTABLISHED');
      const { status, body } = await api().delete(path(call));
      expect([status, body.state]).toEqual([202, 'ended']);
      expect(await bothEnded(call)).toMatchObject({ state: 'ended', result: 'completed' });
      expect((await api().get(path(call))).status).toBe(404);
    });

    it('end when the phone hangs up', async () => {
      const call = await line.talk();
      await line.phone.hangUp();
      expect(await bothEnded(call)).toMatchObject({
        state: 'ended',
        result: 'completed',
        reason: 'remote hung up',
      });
    });

    it('end when the phone declines', async () => {
      const call = await line.ringPhone();
      await line.phone.hangUp();
      expect(await bothEnded(call)).toMatchObject({
        state: 'disconnected',
        result: 'busy',
        reason: '486 Rejected',
      });
    });

    it('are cancelled when the agent gives up while it rings', async () => {
      const call = await line.ringPhone();
      expect((await api().delete(path(call))).status).toBe(202);
      const { phone, state, result } = await bothEnded(call);
      expect([state, result]).toEqual(['ended', 'no_answer']);
      expect(phone).not.toMatch(/^200/);
    });
  });

  describe('that the phone places', () => {
    it('ring at the agent, who accepts', async () => {
      await line.dial(RINGS_AGENT);
      await line.phone.waitFor('CALL_RINGING');
      const call = await line.onlyCall('ringing');
      expect(call).toMatchObject({ direction: 'inbound', caller: '+33123456789', platform: 'sip' });
      expect(call.meeting_url).toContain(RINGS_AGENT);
      const accepted = await api().post(`${path(call)}/accept`);
      expect([accepted.status, accepted.body.state]).toEqual([200, 'active']);
      await line.phone.waitFor('CALL_ESTABLISHED');
      await line.phone.hangUp();
      expect(await bothEnded(call)).toMatchObject({ state: 'ended', result: 'completed' });
    });

    it('are answered and then hung up by the agent', async () => {
      await line.dial(RINGS_AGENT);
      const call = await line.onlyCall('ringing');
      expect((await api().post(`${path(call)}/answer`)).body.state).toBe('active');
      await line.phone.waitFor('CALL_ESTABLISHED');
      expect((await api().delete(path(call))).status).toBe(202);
      expect(await bothEnded(call)).toMatchObject({ state: 'ended', result: 'completed' });
    });

    it('are refused, and the phone gets 603', async () => {
      await line.dial(RINGS_AGENT);
      const call = await line.onlyCall('ringing');
      expect((await api().post(`${path(call)}/refuse`)).body.state).toBe('refused');
      expect(await bothEnded(call)).toMatchObject({
        state: 'refused',
        result: 'refused',
        phone: '603 Decline',
      });
    });

    it('are missed when the phone gives up', async () => {
      await line.dial(RINGS_AGENT);
      const call = await line.onlyCall('ringing');
      await line.phone.hangUp();
      expect(await bothEnded(call)).toMatchObject({ state: 'missed', result: 'missed' });
    });

    it('are answered automatically when the number is set to auto-answer', async () => {
      await line.dial(ANSWERS_ITSELF);
      await line.phone.waitFor('CALL_ESTABLISHED');
      const call = await line.onlyCall('active');
      await line.phone.hangUp();
      expect(await bothEnded(call)).toMatchObject({ state: 'ended', result: 'completed' });
    });

    it('do not reach a number that is not listed', async () => {
      await line.dial(NOT_LISTED);
      expect((await line.phone.waitFor('CALL_CLOSED')).param).toMatch(/^404/);
      expect((await api().get('/api/calls')).body).toEqual({ calls: [] });
    });
  });

  it('only the trunk gets an answer', async () => {
    const [trunk, stranger] = [await ScriptedPeer.start('127.0.0.1'), await ScriptedPeer.start('127.0.0.2')];
    const uri = `sip:${RINGS_AGENT}@127.0.0.1:${line.gateway.sipPort}`;
    for (const peer of [stranger, trunk]) {
      peer.facing(line.gateway.sipPort);
      peer.send('INVITE', uri, { callId: `from-${peer.host}`, cseq: 1 });
      peer.send('OPTIONS', uri, { callId: `options-from-${peer.host}`, cseq: 1 });
    }
    // What the stranger sent went out first: once the trunk has its answer, the stranger's would be there too.
    await trunk.response(180, 'INVITE');
    await trunk.response(200, 'OPTIONS');
    const call = await line.onlyCall('ringing');
    await api().post(`${path(call)}/refuse`);
    await trunk.response(603, 'INVITE');
    expect(stranger.received).toEqual([]);
    expect(await line.gateway.metric('svc_sip_events_total')).toBeGreaterThanOrEqual(2);
    await Promise.all([trunk.stop(), stranger.stop()]);
  });
});
