import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dialogOf, PhoneScene } from './phone-scene.ts';
import { sdp } from './scripted-peer.ts';
import { trunkTo } from './start-connector.ts';

describe('what may be received', () => {
  let scene: PhoneScene;

  beforeEach(async () => {
    scene = await PhoneScene.open({ codecs: ['opus', 'PCMU', 'PCMA'] });
  });

  afterEach(() => scene.close());

  it('is all of our offer and of the answer, under the numbers of both', async () => {
    const attributes = ['rtpmap:100 telephone-event/8000', 'rtpmap:96 opus/48000/2'];
    await scene.answered(sdp(40_000, { codecs: '8 0 96 100', attributes }));
    const { received, ...sent } = scene.notes.media.config!;
    expect(sent).toMatchObject({ codec: 'PCMA', payloadType: 8, dtmfPayloadType: 100 });
    expect(new Set(received.codecs.map(({ codec, payloadType }) => `${codec} ${payloadType}`))).toEqual(
      new Set(['PCMU 0', 'PCMA 8', 'opus 96', 'opus 111']),
    );
    expect(
      new Set(received.events.map(({ payloadType, clockRateHz }) => `${payloadType} ${clockRateHz}`)),
    ).toEqual(new Set(['100 8000', '101 8000', '110 48000']));
  });

  it('is, on a call in, each codec that the caller offers without Opus', async () => {
    scene.gateway.answerer.answersAtOnce = true;
    const body = sdp(40_000, { codecs: '8 9 0 101', attributes: ['rtpmap:102 telephone-event/16000'] });
    scene.invite([], body);
    const answer = await scene.peer.response(200, 'INVITE');
    expect(answer.content).toMatch(/m=audio \d+ RTP\/AVP 8 101\r\n/);
    const { received } = (await scene.gateway.answerer.next()).notes.media.config!;
    expect(received.codecs.map(({ payloadType }) => payloadType)).toEqual([8, 9, 0]);
  });

  it('stays what it was after a re-INVITE besides what that adds', async () => {
    const { invite } = await scene.answered(sdp(40_000, { codecs: '0 101' }));
    const { dialog, contact } = dialogOf(invite);
    scene.peer.send('INVITE', contact, {
      ...dialog,
      cseq: 50,
      body: sdp(40_000, { codecs: '8 120', version: 2, attributes: ['rtpmap:120 telephone-event/8000'] }),
    });
    await scene.peer.response(200, 'INVITE');
    const { received, codec } = scene.notes.media.config!;
    expect(codec).toBe('PCMA');
    expect(received.codecs.map(({ payloadType }) => payloadType)).toEqual(
      expect.arrayContaining([0, 8, 111]),
    );
    expect(received.events.map(({ payloadType }) => payloadType)).toEqual(
      expect.arrayContaining([101, 110, 120]),
    );
  });

  it.each([
    [null, 30_000],
    [0, Number.POSITIVE_INFINITY],
    [7, 7_000],
  ])('may pause for %s s by the trunk: %d ms', async (mediaTimeoutS, mediaTimeoutMs) => {
    scene.gateway.connector.putTrunk(trunkTo(scene.peer.port, { mediaTimeoutS }));
    await scene.answered();
    expect(scene.notes.media.config?.mediaTimeoutMs).toBe(mediaTimeoutMs);
  });

  it.each(['1', '01', '2', 'x', ''])('is an audio line with /%s ports only if that is one', async (ports) => {
    const body = sdp().replace('m=audio 40000', `m=audio 40000/${ports}`);
    scene.gateway.answerer.answersAtOnce = true;
    scene.invite([], body);
    expect((await scene.peer.response(ports === '1' ? 200 : 488, 'INVITE')).status).toBeDefined();
  });
});
