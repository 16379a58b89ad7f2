import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { waitFor } from '../../../../support/wait-for.ts';
import { dialogOf, PhoneScene } from './phone-scene.ts';
import { sdp } from './scripted-peer.ts';

describe('before the answer', () => {
  let scene: PhoneScene;

  beforeEach(async () => {
    scene = await PhoneScene.open();
  });

  afterEach(() => scene.close());

  const logged = async (answers: readonly [status: number, body?: string][]) => {
    scene.dial();
    const invite = await scene.peer.request('INVITE');
    for (const [status, body = ''] of answers) scene.peer.answer(invite, status, { body });
    scene.peer.answer(invite, 200, { body: sdp() });
    await scene.notes.waitFor('answered');
    return scene.notes.log;
  };

  it.each<[string, readonly [number, string?][], readonly string[]]>([
    ['a ring', [[180]], ['ringing']],
    ['two rings are one', [[180], [180]], ['ringing']],
    ['neither ringing nor audio', [[181], [182], [183]], []],
    ['audio', [[183, sdp()]], ['early media']],
    ['a ring with audio', [[180, sdp()]], ['ringing', 'early media']],
    ['audio behind a 182', [[182, sdp()]], ['early media']],
    ['audio and then a ring', [[183, sdp()], [180]], ['early media', 'ringing']],
    ['audio from the far end alone', [[183, sdp(40_000, { direction: 'sendonly' })]], ['early media']],
    ['a description that sends nothing', [[183, sdp(40_000, { direction: 'inactive' })]], []],
    ['a description that only listens', [[183, sdp(40_000, { direction: 'recvonly' })]], []],
    ['a body that is no description', [[183, 'v=nothing']], []],
    ['a description without our codecs', [[183, sdp(40_000, { codecs: '18' })]], []],
  ])('%s', async (_, answers, log) => {
    expect(await logged(answers)).toEqual([...log, 'answered']);
  });

  it('audio may come from elsewhere and in another codec than after it', async () => {
    scene.dial();
    const invite = await scene.peer.request('INVITE');
    scene.peer.answer(invite, 183, { body: sdp(40_000, { codecs: '0 101' }) });
    await scene.notes.waitFor('early media');
    expect(scene.notes.media.config).toMatchObject({ remotePort: 40_000, codec: 'PCMU' });
    scene.peer.answer(invite, 200, { body: sdp(41_000, { codecs: '8 101', version: 2 }) });
    await scene.notes.waitFor('answered');
    expect(scene.notes.media.config).toMatchObject({ remotePort: 41_000, codec: 'PCMA' });
  });

  it('audio may be all that an answer without a description has', async () => {
    scene.dial();
    const invite = await scene.peer.request('INVITE');
    scene.peer.answer(invite, 183, { body: sdp(40_000, { codecs: '8 101' }) });
    await scene.notes.waitFor('early media');
    scene.peer.answer(invite, 200);
    await scene.notes.waitFor('answered');
    expect(scene.notes.media.config).toMatchObject({ remotePort: 40_000, codec: 'PCMA' });
  });

  it('audio is handed over from one announcer to the next, and to who answers', async () => {
    scene.dial();
    const invite = await scene.peer.request('INVITE');
    scene.peer.answer(invite, 183, { tag: 'a', body: sdp(40_000, { codecs: '0' }) });
    await scene.notes.waitFor('early media');
    scene.peer.answer(invite, 183, { tag: 'b', body: sdp(41_000, { codecs: '8' }) });
    await waitFor('the next one', () => scene.notes.media.config?.remotePort === 41_000);
    scene.peer.answer(invite, 200, { tag: 'c', body: sdp(42_000, { codecs: '0' }) });
    await scene.notes.waitFor('answered');
    expect(scene.notes.media.config).toMatchObject({ remotePort: 42_000, codec: 'PCMU' });
  });

  it('a reliable answer that is repeated is acknowledged, and never with an offer', async () => {
    scene.dial();
    const invite = await scene.peer.request('INVITE');
    const reliable = { headers: ['Require: 100rel', 'RSeq: 7'], body: sdp() };
    scene.peer.answer(invite, 183, reliable);
    scene.peer.answer(await scene.peer.request('PRACK'), 200);
    scene.peer.answer(invite, 183, reliable);
    scene.peer.answer(invite, 200);
    await scene.notes.waitFor('answered');
    for (const { content } of scene.peer.requests('PRACK')) expect(content).toBe('');
  });

  it('an announcement ends with the refusal that follows it', async () => {
    scene.dial();
    const invite = await scene.peer.request('INVITE');
    scene.peer.answer(invite, 183, { body: sdp() });
    await scene.notes.waitFor('early media');
    scene.peer.answer(invite, 404);
    await scene.notes.waitFor('ended remote');
    expect(scene.notes.termination).toEqual({ result: 'failed', reason: '404 Scripted' });
    expect(scene.notes.log).toEqual(['early media', 'ended remote']);
  });
});

describe('hold by the far end', () => {
  let scene: PhoneScene;

  beforeEach(async () => {
    scene = await PhoneScene.open();
  });

  afterEach(() => scene.close());

  it('is told once for each change', async () => {
    const { invite } = await scene.answered();
    const { dialog, contact } = dialogOf(invite);
    let cseq = 50;
    const offer = async (body: string): Promise<void> => {
      cseq += 1;
      scene.peer.send('INVITE', contact, { ...dialog, cseq, body });
      await scene.peer.response(200, 'INVITE');
      scene.peer.send('ACK', contact, { ...dialog, cseq });
    };
    const nowhere = sdp().replaceAll('IP4 127.0.0.1', 'IP4 0.0.0.0');
    for (const body of [
      ...(['sendonly', 'inactive', 'sendrecv', 'recvonly', 'sendonly'] as const).map((direction) =>
        sdp(40_000, { direction }),
      ),
      sdp(),
      nowhere,
      sdp(),
    ])
      await offer(body);
    expect(scene.notes.log).toEqual(['answered', 'held', 'resumed', 'held', 'resumed', 'held', 'resumed']);
  });

  it('from the answer on is told after it', async () => {
    await scene.answered(sdp(40_000, { direction: 'inactive' }));
    await waitFor('the hold', () => scene.notes.log.length === 2);
    expect(scene.notes.log).toEqual(['answered', 'held']);
  });

  it('of a call in is told too, and one without an offer brings it back', async () => {
    scene.gateway.answerer.answersAtOnce = true;
    scene.invite([], sdp(40_000, { direction: 'sendonly' }));
    const answer = await scene.peer.response(200, 'INVITE');
    const { notes } = await scene.gateway.answerer.next();
    const [first] = answer.headers.contact as { uri: string }[];
    const { uri: to, params } = answer.headers.to;
    const dialog = { callId: 'c1', toTag: params.tag!, to };
    const contact = first!.uri;
    scene.peer.send('ACK', contact, { ...dialog, cseq: 1 });
    await notes.waitFor('held');
    scene.peer.send('INVITE', contact, { ...dialog, cseq: 2 });
    await scene.peer.response(200, 'INVITE');
    scene.peer.send('ACK', contact, { ...dialog, cseq: 2, body: sdp() });
    await notes.waitFor('resumed');
    expect(notes.log).toEqual(['answered', 'held', 'resumed']);
  });
});
