import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../../support/manual-clock.ts';
import type { SipRequest } from '../../../../support/sip-message.ts';
import { waitFor } from '../../../../support/wait-for.ts';
import { dialogOf, PhoneScene } from './phone-scene.ts';
import { sdp } from './scripted-peer.ts';

describe('session timers', () => {
  let clock: ManualClock;
  let scene: PhoneScene;

  beforeEach(async () => {
    clock = new ManualClock();
    scene = await PhoneScene.open({}, {}, clock);
  });

  afterEach(() => scene.closeAt(clock));

  const refreshes = (): SipRequest[] => scene.peer.requests('INVITE').slice(1);

  function refresh(count: number): Promise<SipRequest> {
    return waitFor(`refresh ${count}`, () => refreshes()[count - 1]);
  }

  function notYet(count: number): void {
    expect(refreshes()).toHaveLength(count);
  }

  const weRefresh = ['Session-Expires: 120;refresher=uac', 'Require: timer'];

  it('are offered, and refreshed at half the interval with both headers', async () => {
    const { invite } = await scene.answered(sdp(), weRefresh);
    expect(String(invite.headers.supported)).toContain('timer');
    clock.advance(59_999);
    notYet(0);
    clock.advance(1);
    const first = await refresh(1);
    expect(first.headers['session-expires']).toBe('120;refresher=uac');
    expect(String(first.headers.supported)).toContain('timer');
    scene.peer.answer(first, 200, { body: sdp(), headers: ['x: 200 ; refresher=uac'] });
    await waitFor('ACK', () => scene.peer.requests('ACK').length === 2);
    clock.advance(99_999);
    notYet(1);
    clock.advance(1);
    expect((await refresh(2)).headers['session-expires']).toBe('200;refresher=uac');
  });

  it.each<[string, number, readonly string[], number, number]>([
    ['a glare', 491, [], 2_090, 4_000],
    ['a busy server with Retry-After', 500, ['Retry-After: 12'], 11_999, 12_000],
    ['an hour of maintenance', 503, ['Retry-After: 3600'], 56_999, 57_000],
    ['no reason', 488, [], 4_999, 5_000],
    ['a redirect', 302, [], 4_999, 5_000],
  ])('that are refused for %s are tried again in time: %i', async (_, status, headers, notBeforeMs, byMs) => {
    await scene.answered(sdp(), weRefresh);
    clock.advance(60_000);
    scene.peer.answer(await refresh(1), status, { headers });
    await waitFor('ACK', () => scene.peer.requests('ACK').length === 2);
    clock.advance(notBeforeMs);
    notYet(1);
    clock.advance(byMs - notBeforeMs);
    await refresh(2);
    expect(scene.notes.termination).toBeNull();
  });

  it('use the interval that a 422 demands at once', async () => {
    await scene.answered(sdp(), weRefresh);
    clock.advance(60_000);
    scene.peer.answer(await refresh(1), 422, { headers: ['Min-SE: 300'] });
    expect((await refresh(2)).headers['session-expires']).toBe('300;refresher=uac');
  });

  it('follow an answer after early media', async () => {
    scene.dial();
    const invite = await scene.peer.request('INVITE');
    scene.peer.answer(invite, 183, { body: sdp() });
    await scene.notes.waitFor('early media');
    scene.peer.answer(invite, 200, { body: sdp(), headers: weRefresh });
    await scene.notes.waitFor('answered');
    clock.advance(60_000);
    await refresh(1);
  });

  it('use the interval that a 422 demands of the INVITE', async () => {
    scene.dial();
    const first = await scene.peer.request('INVITE');
    scene.peer.answer(first, 422, { headers: ['Min-SE: 3600'] });
    const again = await scene.peer.request('INVITE');
    expect(again.headers).toMatchObject({ 'session-expires': '3600', 'min-se': '3600' });
    scene.peer.answer(again, 422, { headers: ['Min-SE: 3600'] });
    await scene.notes.waitFor('ended remote');
    expect(scene.notes.termination?.reason).toBe('422 Scripted');
  });

  it('end the call when a refresh is never answered, nor refused', async () => {
    await scene.answered(sdp(), weRefresh);
    clock.advance(60_000);
    scene.peer.answer(await refresh(1), 100);
    clock.advance(59_999);
    expect(scene.notes.termination).toBeNull();
    clock.advance(1);
    await scene.notes.waitFor('ended lost');
    expect(scene.notes.termination).toEqual({
      result: 'disconnected',
      reason: 'the session was not refreshed',
    });
  });

  it('never end the call while the peer goes on refusing', async () => {
    await scene.answered(sdp(), weRefresh);
    for (let i = 1; i <= 40; i++) {
      await waitFor(`try ${i}`, () => {
        if (refreshes().length < i) clock.advance(1_000);
        return refreshes()[i - 1];
      });
      scene.peer.answer(refreshes()[i - 1]!, 500);
      await waitFor('ACK', () => scene.peer.requests('ACK').length === i + 1);
    }
    expect(clock.monotonicMs()).toBeGreaterThan(200_000);
    expect(scene.notes.termination).toBeNull();
  });

  it('end the call when the peer knows it no more', async () => {
    await scene.answered(sdp(), weRefresh);
    clock.advance(60_000);
    scene.peer.answer(await refresh(1), 481);
    await scene.notes.waitFor('ended lost');
    expect(scene.notes.termination?.reason).toBe('the session could not be refreshed');
  });

  it('end the call when the peer was to refresh and did not', async () => {
    await scene.answered(sdp(), ['Session-Expires: 120;refresher=uas']);
    clock.advance(87_999);
    expect(scene.notes.termination).toBeNull();
    clock.advance(1);
    await scene.notes.waitFor('ended lost');
    expect(scene.notes.termination).toEqual({
      result: 'disconnected',
      reason: 'the session was not refreshed',
    });
  });

  it('go on with each refresh of the peer, and answer it', async () => {
    const { invite } = await scene.answered(sdp(), ['Session-Expires: 120;refresher=uas']);
    const { dialog, contact } = dialogOf(invite);
    clock.advance(60_000);
    const headers = ['Session-Expires: 120;refresher=uac', 'Supported: timer'];
    scene.peer.send('INVITE', contact, { ...dialog, cseq: 7, headers, body: sdp() });
    const answer = await scene.peer.response(200, 'INVITE');
    expect(answer.headers['session-expires']).toBe('120;refresher=uac');
    scene.peer.send('ACK', contact, { ...dialog, cseq: 7 });
    // The answer to this shows that the ACK has arrived.
    scene.peer.send('INFO', contact, { ...dialog, cseq: 8 });
    await scene.peer.response(200, 'INFO');
    clock.advance(80_000);
    expect(scene.notes.termination).toBeNull();
  });

  it.each([
    [['Session-Expires: 90', 'Supported: timer'], '90;refresher=uac', 'timer'],
    [['Session-Expires: 90;refresher=uas', 'k: timer'], '90;refresher=uas', undefined],
    [['Session-Expires: 90', 'Supported: 100rel'], '90;refresher=uas', undefined],
    [['Session-Expires: soon', 'Supported: timer'], undefined, undefined],
  ])('are answered on a call in: %j', async (headers, expected, required) => {
    scene.gateway.answerer.answersAtOnce = true;
    scene.invite(headers);
    const answer = await scene.peer.response(200, 'INVITE');
    expect(answer.headers['session-expires']).toBe(expected);
    expect(answer.headers.require).toBe(required);
  });
});
