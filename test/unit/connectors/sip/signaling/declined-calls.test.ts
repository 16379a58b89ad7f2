import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../../support/manual-clock.ts';
import { waitFor } from '../../../../support/wait-for.ts';
import { PhoneScene } from './phone-scene.ts';
import { sdp } from './scripted-peer.ts';

describe('calls that are declined', () => {
  let clock: ManualClock;
  let scene: PhoneScene;

  beforeEach(async () => {
    clock = new ManualClock();
    scene = await PhoneScene.open({}, {}, clock);
  });

  afterEach(() => scene.closeAt(clock));

  it('go to numbers that nobody has listed: each copy gets the same answer, and none is repeated', async () => {
    for (let copy = 0; copy < 3; copy++) scene.invite([], sdp(), { to: 'sip:+15550000@h' });
    const answers = await waitFor('three answers', () => {
      const all = scene.peer.received.filter(({ message }) => message.status === 404);
      return all.length === 3 ? all : null;
    });
    expect(new Set(answers.map(({ message }) => message.headers.to.params.tag)).size).toBe(1);
    expect(scene.gateway.counted('call_declined')).toBe(3);
    expect(scene.gateway.counted('replayed_response')).toBe(0);
    expect(scene.gateway.answerer.calls).toHaveLength(0);
  });

  it('come too often to one number, and not to another', async () => {
    scene.gateway.connector.putNumber({
      didId: 'did_2',
      accountId: 'acc_1',
      agentId: 'agt_1',
      number: '+33999999999',
      autoAnswer: false,
      presets: { stt: null, tts: null },
    });
    for (let i = 0; i < 210; i++) scene.invite([], sdp(), { callId: `many${i}` });
    await waitFor(
      'all answers',
      () => scene.peer.statuses('INVITE').filter((each) => each >= 180).length >= 210,
    );
    const declined = scene.peer.statuses('INVITE').filter((each) => each === 503).length;
    expect(declined).toBe(10);
    expect(scene.gateway.answerer.calls.length + declined).toBe(210);
    scene.invite([], sdp(), { callId: 'other', to: 'sip:+33999999999@h' });
    await waitFor('a call to the other number', () => scene.gateway.answerer.calls.length + declined === 211);
  });
});
