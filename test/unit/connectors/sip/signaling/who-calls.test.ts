import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { waitFor } from '../../../../support/wait-for.ts';
import { PhoneScene } from './phone-scene.ts';
import { sdp } from './scripted-peer.ts';
import { NUMBER, TOKEN, trunkTo } from './start-connector.ts';

const PAI = 'P-Asserted-Identity: "x" <sip:+441632960000@h>';
const RPID = 'Remote-Party-ID: "y" <sip:+441632960003@h>;party=calling;screen=yes';

describe('who calls', () => {
  let scene: PhoneScene;

  beforeEach(async () => {
    scene = await PhoneScene.open();
  });

  afterEach(() => scene.close());

  /** The scripted peer's From is +33611111111. */
  async function callerOf(...headers: string[]): Promise<string> {
    scene.invite(headers);
    return (await scene.gateway.answerer.next()).call.caller;
  }

  it.each<[string, readonly string[]]>([
    ['+33611111111', []],
    ['+441632960003', [RPID]],
    ['+441632960000', [RPID, PAI]],
    ['+441632960009', ['P-Asserted-Identity: "a, b" <tel:+44-1632-960009>, <sip:x@h>']],
    ['+441632960005', ['Remote-Party-ID: <sip:+1@h>;party=called, <sip:+441632960005@h>;privacy=off']],
    ['+441632960000', [PAI, 'Privacy: none']],
    ['+441632960000', [PAI, 'Privacy: critical']],
    [
      '+441632960007',
      [
        'P-Asserted-Identity: <sip:x@h>',
        'P-Asserted-Identity: "A <b>, c" <sip:+441632960007;cpc=ordinary@h;user=phone>',
      ],
    ],
    ['+441632960008', ['P-Asserted-Identity: sip:+441632960008@h']],
    ['+441632960010', ['Remote-Party-ID: "n" <sip:+441632960010@h>;privacy=off;screen=no;party=calling']],
    ['anonymous', [PAI, 'Privacy: id, user']],
    ['anonymous', [PAI, 'Privacy: critical', 'Privacy: id']],
    ['anonymous', [PAI, 'Privacy: user;id']],
    ['anonymous', [PAI, 'Privacy: ID']],
    ['anonymous', ['Privacy: header; user ;critical']],
    ['anonymous', [RPID.replace(';party', ';privacy=full;party')]],
  ])('is %s with %j', async (caller, headers) => {
    expect(await callerOf(...headers)).toBe(caller);
  });

  it.each([
    ['p_asserted_identity', '+441632960000'],
    ['remote_party_id', '+441632960003'],
    ['from', '+33611111111'],
  ] as const)('begins with %s where the trunk says so: %s', async (callerFrom, caller) => {
    scene.gateway.connector.putTrunk(trunkTo(scene.peer.port, { callerFrom }));
    expect(await callerOf(PAI, RPID)).toBe(caller);
  });

  it('is withheld whatever header counts, and then found in no other', async () => {
    scene.gateway.connector.putTrunk(trunkTo(scene.peer.port, { callerFrom: 'from' }));
    expect(await callerOf(PAI, 'Privacy: id')).toBe('anonymous');
  });

  it('is in no log when it is withheld', async () => {
    await callerOf(PAI, 'Privacy: id');
    expect(scene.gateway.logs.join()).not.toContain('1632960000');
  });

  it.each([
    ['Diversion', [`Diversion: <sip:+44@h>;reason=no-answer, <sip:${NUMBER.number}@h>;reason=unconditional`]],
    [
      'History-Info',
      [
        `History-Info: <sip:${NUMBER.number}@h?Reason=SIP%3Bcause%3D302>;index=1, <sip:agent@h;cause=302>;index=1.1`,
      ],
    ],
    [
      'the Diversion that comes first',
      [
        `Diversion: "office" <tel:${NUMBER.number}>;reason=user-busy;counter=1`,
        'Diversion: <sip:+45@h>;reason=unknown',
      ],
    ],
    [
      'History-Info in two lines',
      [
        `History-Info: <sip:${NUMBER.number}@h;user=phone>;index=1`,
        'History-Info: <sip:elsewhere@h;cause=302>;index=1.1;mp=1',
      ],
    ],
    ['P-Called-Party-ID', [`P-Called-Party-ID: <tel:${NUMBER.number}>`]],
  ])('reaches the number that only %s names', async (_, headers) => {
    scene.invite(headers, sdp(), { to: 'sip:elsewhere@h' });
    expect((await scene.gateway.answerer.next()).call.target).toContain(NUMBER.number);
  });

  it.each([
    ['SIP;cause=200;text="Call completed elsewhere"', 'answered elsewhere'],
    ['Q.850;cause=26, SIP ;text="a;b";cause = 200', 'answered elsewhere'],
    ['SIP;cause=603', 'declined elsewhere'],
    ['sip ; text="Call completed elsewhere" ; cause=200', 'answered elsewhere'],
    ['Q.850;cause=26\r\nReason: SIP;cause=200', 'answered elsewhere'],
    ['Q.850;cause=26;text="Call completed elsewhere"', 'answered elsewhere'],
    ['SIP;cause=487', 'caller hung up'],
    ['Q.850;cause=200', 'caller hung up'],
    ['SIP;text="SIP;cause=200"', 'caller hung up'],
  ])('who gives up with %s has %s', async (reason, told) => {
    scene.invite();
    const { notes } = await scene.gateway.answerer.next();
    await scene.peer.response(180, 'INVITE');
    scene.peer.send('CANCEL', `sip:${TOKEN}@${scene.gateway.uri}`, {
      callId: 'c1',
      cseq: 1,
      branch: 'z9hG4bKc11INVITE',
      to: `sip:${NUMBER.number}@${scene.gateway.uri}`,
      headers: [`Reason: ${reason}`],
    });
    await notes.waitFor('ended remote');
    expect(notes.termination).toEqual({ result: 'missed', reason: told });
  });
});

describe('ringing for an INVITE without an offer', () => {
  let scene: PhoneScene;

  beforeEach(async () => {
    scene = await PhoneScene.open();
  });

  afterEach(() => scene.close());

  it('is not reliable when the caller only could', async () => {
    scene.invite(['Supported: 100rel'], '');
    const ringing = await scene.peer.response(180, 'INVITE');
    expect(ringing.headers).not.toHaveProperty('rseq');
    expect(ringing.content).toBe('');
    (await scene.gateway.answerer.next()).leg.accept();
    expect((await scene.peer.response(200, 'INVITE')).content).toContain('m=audio');
  });

  it('carries our offer when the caller insists, and the answer comes with the PRACK', async () => {
    scene.invite(['Require: 100rel'], '');
    const ringing = await scene.peer.response(180, 'INVITE');
    expect(ringing.content).toContain('m=audio');
    const { leg, notes } = await scene.gateway.answerer.next();
    leg.accept();
    const contact = (ringing.headers.contact as { uri: string }[])[0]!.uri;
    const dialog = {
      callId: 'c1',
      to: `sip:${NUMBER.number}@${scene.gateway.uri}`,
      toTag: ringing.headers.to.params.tag!,
    };
    const headers = [`RAck: ${ringing.headers.rseq} 1 INVITE`];
    expect(scene.peer.statuses('INVITE')).not.toContain(200);
    scene.peer.send('PRACK', contact, {
      ...dialog,
      cseq: 2,
      headers,
      body: sdp(40_000, { codecs: '8 101' }),
    });
    await scene.peer.response(200, 'PRACK');
    const answer = await scene.peer.response(200, 'INVITE');
    expect(answer.content).toBe('');
    scene.peer.send('ACK', contact, { ...dialog, cseq: 1, branch: 'z9hG4bKack' });
    await notes.waitFor('answered');
    expect(notes.media.config).toMatchObject({ codec: 'PCMA', remotePort: 40_000 });
    await waitFor('one kind of ringing', () => scene.peer.statuses('INVITE').includes(180));
  });

  it('ends the call when the PRACK brings no answer', async () => {
    scene.invite(['Require: 100rel'], '');
    const ringing = await scene.peer.response(180, 'INVITE');
    const { leg, notes } = await scene.gateway.answerer.next();
    leg.accept();
    const contact = (ringing.headers.contact as { uri: string }[])[0]!.uri;
    const dialog = {
      callId: 'c1',
      to: `sip:${NUMBER.number}@${scene.gateway.uri}`,
      toTag: ringing.headers.to.params.tag!,
    };
    scene.peer.send('PRACK', contact, {
      ...dialog,
      cseq: 2,
      headers: [`RAck: ${ringing.headers.rseq} 1 INVITE`],
    });
    await scene.peer.response(488, 'INVITE');
    expect(notes.termination?.reason).toBe('the caller did not answer our offer');
  });
});
