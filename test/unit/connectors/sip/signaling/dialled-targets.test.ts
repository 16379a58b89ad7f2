import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PhoneScene } from './phone-scene.ts';
import { sdp } from './scripted-peer.ts';
import { trunkTo } from './start-connector.ts';

describe('a dialled target', () => {
  let scene: PhoneScene;

  beforeEach(async () => {
    scene = await PhoneScene.open();
  });

  afterEach(() => scene.close());

  it.each([
    ['sip:+441632960001;isub=12@127.0.0.1', 'sip:+441632960001;isub=12@127.0.0.1:PORT'],
    [
      'sip:7042;phone-context=+44@pbx.example;user=phone',
      'sip:7042;phone-context=+44@pbx.example;user=phone',
    ],
    ['tel:7042;phone-context=example.com', 'sip:7042;phone-context=example.com@127.0.0.1:PORT;user=phone'],
    ['tel:+44-1632-960001;ext=22;isub=1', 'sip:+441632960001;ext=22;isub=1@127.0.0.1:PORT;user=phone'],
    ['tel:+441632960001;ext=22;postd=p1', 'sip:+441632960001;ext=22@127.0.0.1:PORT;user=phone'],
    ['sip:+441632960001;isub=2;postd=p1@127.0.0.1', 'sip:+441632960001;isub=2@127.0.0.1:PORT'],
    ['sip:a;b=c,d&e;f@pbx.example;x=1;transport=tcp', 'sip:a;b=c,d&e;f@pbx.example;x=1;transport=tcp'],
  ])('%s keeps all that it says', async (target, uri) => {
    scene.dial(target);
    const invite = await scene.peer.request('INVITE');
    const text = uri.replace('PORT', String(scene.peer.port));
    expect(invite.uri).toBe(text);
    expect(scene.peer.received[0]!.text).toContain(`To: <${text}>`);
  });

  it.each([
    ['from', '+33100000000', undefined],
    ['p_asserted_identity', 'gateway', '<sip:+33100000000@127.0.0.1>'],
    ['p_preferred_identity', 'gateway', '<sip:+33100000000@127.0.0.1>'],
  ] as const)('is shown our number in %s', async (callerIdIn, from, identity) => {
    scene.gateway.connector.putTrunk(trunkTo(scene.peer.port, { callerIdIn }));
    scene.dial();
    const { headers } = await scene.peer.request('INVITE');
    expect(headers.from.uri).toBe(`sip:${from}@127.0.0.1`);
    const name = callerIdIn.replace('p_', 'P-').replace('_', '-');
    const stated = scene.peer.received[0]!.text.split('\r\n').find(
      (line) => line.toLowerCase().startsWith(`${name.toLowerCase()}: `) && callerIdIn !== 'from',
    );
    expect(stated?.split(': ')[1]).toBe(identity);
  });

  it('may set headers of the INVITE', async () => {
    scene.dial('sip:bob@127.0.0.1?Subject=caf%C3%A9%20%26%20more&X-Case-Id=7&priority=urgent');
    const invite = await scene.peer.request('INVITE');
    expect(invite.uri).toBe(`sip:bob@127.0.0.1:${scene.peer.port}`);
    expect(invite.headers).toMatchObject({ 'x-case-id': '7', priority: 'urgent' });
    expect(scene.peer.received[0]!.text).toContain('\r\nSubject: café & more\r\n');
  });

  it.each([
    ['sip:bob@127.0.0.1?From=%3Csip:x%40y%3E', '"From"'],
    ['sip:bob@127.0.0.1?body=hello', '"body"'],
    ['sip:bob@127.0.0.1?P-Asserted-Identity=sip:x%40y', '"P-Asserted-Identity"'],
    ['sip:bob@127.0.0.1?Route=x', '"Route"'],
    ['sip:bob@127.0.0.1?X-A=1%0d%0aVia:%20x', 'cannot be sent'],
    ['sip:bob@127.0.0.1?Subject', 'cannot be sent'],
    ['sip:bob@127.0.0.1?Subject=%zz', 'escape'],
    ['sip:bob:secret@127.0.0.1', 'password'],
    ['sips:bob@127.0.0.1', 'only a trunk with transport "tls"'],
  ])('%s is refused: %s', (target, reason) => {
    expect(() => scene.dial(target)).toThrow(reason);
    expect(() => scene.dial(target)).toThrow(expect.objectContaining({ code: 'invalid_meeting_url' }));
  });
});

describe('a redirection', () => {
  let scene: PhoneScene;

  beforeEach(async () => {
    scene = await PhoneScene.open();
  });

  afterEach(() => scene.close());

  async function redirect(...headers: string[]): Promise<void> {
    scene.dial();
    scene.peer.answer(await scene.peer.request('INVITE'), 302, { contact: null, headers });
  }

  /** The next INVITE, which the peer refuses. */
  async function refused(status: number): Promise<string> {
    const invite = await scene.peer.request('INVITE');
    scene.peer.answer(invite, status);
    return invite.uri.replace(`:${scene.peer.port}`, '');
  }

  it.each<[string, readonly string[], readonly string[]]>([
    [
      'by q',
      [
        'Contact: <sip:b@127.0.0.1>;q=0.2, <sip:c@127.0.0.1>;q=0.8',
        'Contact: "D, d" <sip:d@127.0.0.1> ; q=0.55',
      ],
      ['sip:c@127.0.0.1', 'sip:d@127.0.0.1', 'sip:b@127.0.0.1'],
    ],
    [
      'without brackets',
      ['Contact: sip:a@127.0.0.1;q=0.99, sip:b@127.0.0.1;q=1.00, sip:c@127.0.0.1;q=0.98'],
      ['sip:b@127.0.0.1', 'sip:a@127.0.0.1', 'sip:c@127.0.0.1'],
    ],
    [
      'with a q that is written otherwise',
      ['Contact: <sip:a@127.0.0.1>;Q=.2', 'm: <sip:b@127.0.0.1> ;expires=60 ; q = 0.7'],
      ['sip:b@127.0.0.1', 'sip:a@127.0.0.1'],
    ],
    [
      'in their order where they are equal',
      ['Contact: <sip:a@127.0.0.1>, <sip:b@127.0.0.1>;q=1.0, <sip:c@127.0.0.1>;q=0'],
      ['sip:a@127.0.0.1', 'sip:b@127.0.0.1', 'sip:c@127.0.0.1'],
    ],
    [
      'leaving out those that are elsewhere',
      ['Contact: <sip:x@192.0.2.1>;q=1, <mailto:a@b>, <sips:s@127.0.0.1>, <sip:b@127.0.0.1>;q=0.1'],
      ['sip:b@127.0.0.1'],
    ],
    [
      'over the trunk for a number',
      ['Contact: <tel:+44-1632-960002;ext=3>'],
      ['sip:+441632960002;ext=3@127.0.0.1;user=phone'],
    ],
  ])('tries its targets %s', async (_, headers, expected) => {
    await redirect(...headers);
    const tried: string[] = [];
    for (let i = 0; i < expected.length; i++) tried.push(await refused(480));
    expect(tried).toEqual(expected);
    await scene.notes.waitFor('ended remote');
    expect(scene.notes.termination).toEqual({ result: 'no_answer', reason: '480 Scripted' });
  });

  it('ends with an answer for all, and when enough were tried', async () => {
    await redirect('Contact: <sip:a@127.0.0.1>, <sip:b@127.0.0.1>');
    await refused(603);
    await scene.notes.waitFor('ended remote');
    expect(scene.notes.termination?.result).toBe('refused');
  });

  it('does not go round in circles', async () => {
    scene.dial();
    for (let i = 0; i < 6; i++)
      scene.peer.answer(await scene.peer.request('INVITE'), 302, { contact: 'sip:again@127.0.0.1' });
    await scene.notes.waitFor('ended remote');
    expect(scene.notes.termination?.reason).toBe('302 Scripted');
  });
});

describe('answers to an INVITE', () => {
  let scene: PhoneScene;

  beforeEach(async () => {
    scene = await PhoneScene.open();
  });

  afterEach(() => scene.close());

  it('without a Contact are acknowledged at what was called', async () => {
    const leg = scene.dial();
    const invite = await scene.peer.request('INVITE');
    scene.peer.answer(invite, 200, { contact: null, body: sdp() });
    const ack = await scene.peer.request('ACK');
    expect(ack.uri).toBe(invite.uri);
    await scene.notes.waitFor('answered');
    leg.hangUp();
    expect((await scene.peer.request('BYE')).uri).toBe(invite.uri);
  });

  it('of several forks have their own media, and that of the one that answers counts', async () => {
    scene.dial();
    const invite = await scene.peer.request('INVITE');
    const early = (tag: string, port: number, rseq: number): void =>
      scene.peer.answer(invite, 183, {
        tag,
        headers: ['Require: 100rel', `RSeq: ${rseq}`],
        body: sdp(port, { codecs: port === 40_000 ? '0 101' : '8 101' }),
      });
    early('a', 40_000, 1);
    await scene.peer.request('PRACK');
    early('b', 41_000, 9);
    await scene.peer.request('PRACK');
    scene.peer.answer(invite, 200, { tag: 'a' });
    await scene.notes.waitFor('answered');
    expect(scene.notes.media.config).toMatchObject({ remotePort: 40_000, codec: 'PCMU' });
  });

  it('of a fork that has described nothing are no answer', async () => {
    scene.dial();
    const invite = await scene.peer.request('INVITE');
    scene.peer.answer(invite, 183, { tag: 'a', body: sdp() });
    await scene.notes.waitFor('early media');
    scene.peer.answer(invite, 200, { tag: 'b' });
    await scene.notes.waitFor('ended lost');
    expect(scene.notes.termination?.reason).toBe('the answer contains no supported codec');
  });
});
