import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Kamailio } from '../support/kamailio.ts';
import { requirePeer } from '../support/require-peer.ts';
import { waitFor } from '../support/wait-for.ts';
import { RecordedLeg } from '../unit/connectors/sip/signaling/fake-calls.ts';
import { dialogOf } from '../unit/connectors/sip/signaling/phone-scene.ts';
import { ScriptedPeer, sdp } from '../unit/connectors/sip/signaling/scripted-peer.ts';
import {
  ConnectorUnderTest,
  dialTo,
  NUMBER,
  trunkTo,
} from '../unit/connectors/sip/signaling/start-connector.ts';

describe.skipIf(requirePeer('kamailio'))('a gateway behind a Kamailio', () => {
  let gateway: ConnectorUnderTest;
  let phone: ScriptedPeer;
  let kamailio: Kamailio;

  beforeEach(async () => {
    phone = await ScriptedPeer.start();
    kamailio = await Kamailio.start(phone.port);
    gateway = await ConnectorUnderTest.start();
    gateway.connector.putTrunk(trunkTo(kamailio.port, { register: true }));
    gateway.connector.putNumber(NUMBER);
    phone.facing(kamailio.port);
    await waitFor('registered', () => gateway.connector.registration('acc_1').state === 'registered');
  });

  afterEach(async () => {
    await gateway.stop();
    await kamailio.stop();
    phone.stop();
  });

  it('calls, is held and resumed by re-INVITE, sends and hears digits, and hangs up', async () => {
    const notes = new RecordedLeg();
    const leg = gateway.connector.dial(dialTo('sip:+33123450000@127.0.0.1'), notes.media, notes);
    const invite = await phone.request('INVITE');
    phone.answer(invite, 180);
    phone.answer(invite, 200, { body: sdp() });
    await notes.waitFor('answered');
    const { dialog } = dialogOf(invite);
    const route = phone.received
      .find(({ message }) => message === invite)!
      .text.split('\r\n')
      .filter((line) => /^record-route:/i.test(line))
      .map((line) => `Route: ${line.slice(line.indexOf(':') + 2)}`);
    const { contact } = dialogOf(invite);
    for (const [i, direction] of ['sendonly', 'sendrecv'].entries()) {
      const body = sdp(40_000, { direction, version: i + 2 });
      phone.send('INVITE', contact, { ...dialog, cseq: 10 + i, headers: route, body });
      const answer = await waitFor('an answer', () =>
        phone.received.find(({ message }) => message.status === 200 && message.headers.cseq.seq === 10 + i),
      );
      expect(answer.message.content).toContain(direction === 'sendonly' ? 'a=recvonly' : 'a=sendrecv');
      phone.send('ACK', contact, { ...dialog, cseq: 10 + i, headers: route, branch: `z9hG4bKack${i}` });
    }
    const relay = ['Content-Type: application/dtmf-relay', ...route];
    phone.send('INFO', contact, {
      ...dialog,
      cseq: 12,
      headers: relay,
      body: 'Signal=5\r\nDuration=100\r\n',
    });
    await phone.response(200, 'INFO');
    expect(notes.digits).toBe('5');
    leg.hangUp();
    phone.answer(await phone.request('BYE'), 200);
    await leg.released;
    notes.media.close();
  });

  it('is called at the Contact that it has registered', async () => {
    gateway.answerer.answersAtOnce = true;
    phone.send('INVITE', `sip:gateway@127.0.0.1:${kamailio.port}`, {
      callId: 'in1',
      cseq: 1,
      to: `sip:${NUMBER.number}@127.0.0.1`,
      body: sdp(),
    });
    const answer = await phone.response(200, 'INVITE');
    const { call, notes } = await gateway.answerer.next();
    expect(call.target).toContain(NUMBER.number);
    const contact = (answer.headers.contact as { uri: string }[])[0]!.uri;
    const routes = phone.received
      .find(({ message }) => message === answer)!
      .text.split('\r\n')
      .filter((line) => /^record-route:/i.test(line))
      .map((line) => `Route: ${line.slice(line.indexOf(':') + 2)}`);
    const dialog = {
      callId: 'in1',
      to: `sip:${NUMBER.number}@127.0.0.1`,
      toTag: answer.headers.to.params.tag!,
    };
    phone.send('ACK', contact, { ...dialog, cseq: 1, headers: routes, branch: 'z9hG4bKack' });
    await notes.waitFor('answered');
    phone.send('BYE', contact, { ...dialog, cseq: 2, headers: routes });
    await phone.response(200, 'BYE');
    expect(notes.termination?.result).toBe('completed');
  });
});
