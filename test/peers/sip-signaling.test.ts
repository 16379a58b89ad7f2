import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Baresip } from '../support/baresip.ts';
import { requirePeer } from '../support/require-peer.ts';
import { waitFor } from '../support/wait-for.ts';
import { RecordedLeg } from '../unit/connectors/sip/signaling/fake-calls.ts';
import {
  ConnectorUnderTest,
  dialTo,
  NUMBER,
  trunkTo,
} from '../unit/connectors/sip/signaling/start-connector.ts';

describe.skipIf(requirePeer('baresip'))('SIP signaling with baresip over UDP', () => {
  let gateway: ConnectorUnderTest;
  let phone: Baresip;

  beforeEach(async () => {
    gateway = await ConnectorUnderTest.start();
    phone = await Baresip.start({ user: 'phone' });
    gateway.connector.putTrunk(trunkTo(phone.sipPort));
    gateway.connector.putNumber(NUMBER);
  });

  afterEach(async () => {
    await gateway.stop();
    await phone.stop();
  });

  function dial(notes: RecordedLeg, target = phone.uri) {
    const request = dialTo(target, { agentName: 'An "Agent"' });
    return gateway.connector.dial(request, notes.media, notes);
  }

  it('places a call, carries RTP both ways, and hangs up', async () => {
    const notes = new RecordedLeg();
    const leg = dial(notes);
    await phone.waitFor('CALL_INCOMING');
    await notes.waitFor('ringing');
    await phone.answer();
    await notes.waitFor('answered');
    await waitFor('RTP from baresip', () => notes.media.packetsHeard > 10);
    leg.hangUp();
    await phone.waitFor('CALL_CLOSED');
    await leg.released;
    expect(notes.log).toEqual(['ringing', 'answered', 'ended local']);
    expect(notes.termination).toEqual({ result: 'completed', reason: 'hung up' });
  });

  it('ends when the callee hangs up', async () => {
    const notes = new RecordedLeg();
    dial(notes);
    await phone.waitFor('CALL_INCOMING');
    await phone.answer();
    await notes.waitFor('answered');
    await phone.hangUp();
    await notes.waitFor('ended remote');
    expect(notes.termination).toEqual({ result: 'completed', reason: 'remote hung up' });
  });

  it('cancels a ringing call', async () => {
    const notes = new RecordedLeg();
    const leg = dial(notes);
    await phone.waitFor('CALL_INCOMING');
    await notes.waitFor('ringing');
    leg.hangUp();
    await phone.waitFor('CALL_CLOSED');
    await leg.released;
    expect(notes.termination?.result).toBe('no_answer');
  });

  it('reports a refused call as busy', async () => {
    const notes = new RecordedLeg();
    dial(notes);
    await phone.waitFor('CALL_INCOMING');
    await phone.hangUp();
    await notes.waitFor('ended remote');
    expect(notes.termination).toEqual({ result: 'busy', reason: '486 Rejected' });
  });

  it('rings, accepts, and ends when the caller hangs up', async () => {
    await phone.dial(`sip:+33123456789@${gateway.uri}`);
    const { call, leg, notes } = await gateway.answerer.next();
    expect(call).toMatchObject({ accountId: 'acc_1', agentId: 'agt_1', caller: 'phone', autoAnswer: false });
    await phone.waitFor('CALL_RINGING');
    leg.accept();
    await notes.waitFor('answered');
    await waitFor('RTP from baresip', () => notes.media.packetsHeard > 10);
    await phone.hangUp();
    await notes.waitFor('ended remote');
    expect(notes.log).toEqual(['answered', 'ended remote']);
  });

  it('refuses with 603, and is missed when the caller gives up', async () => {
    await phone.dial(`sip:+33123456789@${gateway.uri}`);
    const first = await gateway.answerer.next();
    first.leg.refuse();
    expect((await phone.waitFor('CALL_CLOSED')).param).toContain('603');
    expect(first.notes.termination?.result).toBe('refused');
    await phone.dial(`sip:+33123456789@${gateway.uri}`);
    const second = await gateway.answerer.next(1);
    await phone.waitFor('CALL_RINGING');
    await phone.hangUp();
    await second.notes.waitFor('ended remote');
    expect(second.notes.termination).toEqual({ result: 'missed', reason: 'caller hung up' });
  });

  it('answers 404 for an unlisted number, 486 when the account takes no more, and 503 when the gateway has no room', async () => {
    await phone.dial(`sip:+33199999999@${gateway.uri}`);
    expect((await phone.waitFor('CALL_CLOSED')).param).toContain('404');
    gateway.answerer.answer = 'busy';
    await phone.dial(`sip:+33123456789@${gateway.uri}`);
    expect((await phone.waitFor('CALL_CLOSED')).param).toContain('486');
    gateway.answerer.answer = 'overloaded';
    await phone.dial(`sip:+33123456789@${gateway.uri}`);
    expect((await phone.waitFor('CALL_CLOSED')).param).toContain('503');
  });

  it('follows hold and resume', async () => {
    const notes = new RecordedLeg();
    dial(notes);
    await phone.waitFor('CALL_INCOMING');
    await phone.answer();
    await notes.waitFor('answered');
    await phone.hold();
    await notes.waitFor('held');
    expect(notes.media.config?.sending).toBe(false);
    await phone.resume();
    await notes.waitFor('resumed');
    expect(notes.media.config?.sending).toBe(true);
    expect(notes.log).not.toContain('ended lost');
  });
});
