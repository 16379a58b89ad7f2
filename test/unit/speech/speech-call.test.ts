import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { STALL_MS } from '../../support/speech/tone-synthesizer.ts';
import { retryAudio } from '../../support/stall-probe.ts';
import { tone } from '../../support/tone.ts';
import { toneLevelDb } from '../../support/tone-analysis.ts';
import { until } from '../engine/support/test-engine.ts';
import { AGENT_HZ, BOTH, CALLER_HZ, ROOM_HZ, SpeechWorld } from './speech-world.ts';

const VOICED = 500;
const SECOND = 'ten chars.';

const retry = retryAudio();
let world: SpeechWorld;

afterEach(() => world.stopAll());

async function answered(settings = BOTH): Promise<void> {
  world = await SpeechWorld.start(settings);
  world.answer();
}

/** Milliseconds of frames in which the caller has heard something since the last call. */
function voicedMs(): number {
  let frames = 0;
  // A new engine thread begins a new part.
  while (world.caller.hears.queuedSamples > 0) {
    const heard = world.caller.takeHeard();
    for (let at = 0; at < heard.length; at += 160)
      if (heard.subarray(at, at + 160).some((sample) => Math.abs(sample) > VOICED)) frames++;
  }
  return frames * 20;
}

/** The caller speaks for so long. */
function callerSpeaks(milliseconds: number): void {
  const samples = tone(CALLER_HZ, ROOM_HZ, (ROOM_HZ * milliseconds) / 1000);
  world.caller.says.write(samples, 0, samples.length, ROOM_HZ);
}

describe('a call with hosted speech', { retry }, () => {
  it('speaks a text, and tells when it starts and ends', async () => {
    await answered();
    const utteranceId = world.say(SECOND);
    await until(() => world.statesOf(utteranceId).length === 2);
    expect(world.of('utterance')).toMatchObject([
      { utteranceId, state: 'started', playedMs: 0 },
      { utteranceId, state: 'finished', playedMs: 1_000, spokenText: SECOND, isEstimate: false },
    ]);
    await until(() => world.caller.hears.queuedSamples > 1.5 * ROOM_HZ);
    const heard = world.caller.takeHeard();
    const first = heard.findIndex((sample) => Math.abs(sample) > VOICED);
    expect(toneLevelDb(heard.subarray(first, first + ROOM_HZ), ROOM_HZ, AGENT_HZ)).toBeGreaterThan(-12);
  });

  it('speaks what was said before it was answered', async () => {
    world = await SpeechWorld.start();
    const utteranceId = world.say(SECOND);
    expect(world.pool.report().threads).toBe(0);
    world.answer();
    await until(() => world.statesOf(utteranceId).includes('finished'));
  });

  it('drops what was said before it was answered when it is stopped', async () => {
    world = await SpeechWorld.start();
    const utteranceId = world.say(SECOND);
    world.stop();
    expect(world.statesOf(utteranceId)).toEqual(['interrupted']);
    world.answer();
    const next = world.say(SECOND);
    await until(() => world.statesOf(next).includes('finished'));
    expect(voicedMs()).toBeLessThanOrEqual(1_020);
  });

  it('is silent at once when it is stopped, knows what was heard, and speaks again', async () => {
    await answered();
    for (let i = 0; i < 10; i++) {
      const utteranceId = world.say(SECOND.repeat(5));
      await until(() => world.statesOf(utteranceId).includes('started'));
      await sleep(100 + i * 17);
      const before = voicedMs();
      world.stop();
      await until(() => world.statesOf(utteranceId).includes('interrupted'));
      await sleep(150);
      const after = voicedMs();
      // A tick that runs at the time of the stop, and the fade-out.
      expect(after).toBeLessThanOrEqual(40);
      expect(Math.abs(before + after - world.of('utterance').at(-1)!.playedMs)).toBeLessThanOrEqual(20);
    }
    expect(world.told).toEqual([]);
  });

  it('is silent at once when it is stopped while the bridge thread stalls', async () => {
    await answered();
    const playing = world.say(SECOND.repeat(3));
    const stalling = world.say('stall');
    await until(() => world.statesOf(playing).includes('started'));
    await sleep(400);
    voicedMs();
    world.stop();
    const stoppedAtMs = performance.now();
    await sleep(200);
    expect(voicedMs()).toBeLessThanOrEqual(40);
    expect(world.statesOf(playing)).toEqual(['started']);
    await until(() => world.statesOf(stalling).includes('interrupted'));
    expect(performance.now() - stoppedAtMs).toBeGreaterThan(STALL_MS / 3);
    expect(world.statesOf(playing)).toEqual(['started', 'interrupted']);
    const next = world.say(SECOND);
    await until(() => world.statesOf(next).includes('finished'));
    expect(voicedMs()).toBeLessThanOrEqual(1_020);
  });

  it('goes on when its engine thread dies, and can still be stopped', async () => {
    await answered();
    const first = world.say(SECOND.repeat(2));
    const second = world.say(SECOND.repeat(5));
    await until(() => world.statesOf(first).includes('started'));
    world.caller.run('exit').catch(() => {});
    await until(() => world.statesOf(second).includes('started'));
    expect(world.statesOf(first)).toEqual(['started', 'finished']);
    expect(world.of('utterance').find(({ state }) => state === 'finished')).toMatchObject({
      playedMs: 2_000,
    });
    voicedMs();
    world.stop();
    await until(() => world.statesOf(second).includes('interrupted'));
    await sleep(150);
    expect(voicedMs()).toBeLessThanOrEqual(40);
  });

  it('does nothing when it is stopped while it is silent', async () => {
    await answered();
    world.stop();
    const utteranceId = world.say(SECOND);
    await until(() => world.statesOf(utteranceId).includes('finished'));
    world.stop();
    world.stop();
    const next = world.say(SECOND);
    await until(() => world.statesOf(next).includes('finished'));
    expect(world.of('utterance').every(({ state }) => state !== 'interrupted')).toBe(true);
  });

  it('limits what is queued, in texts and in characters', async () => {
    await answered();
    for (let i = 0; i < 32; i++) world.say('.');
    expect(() => world.say('.')).toThrow('Too much speech is queued on this call');
    world.stop();
    await until(() => world.of('utterance').filter(({ state }) => state === 'interrupted').length === 32);
    world.say('.'.repeat(10_000));
    world.say('.'.repeat(10_000));
    expect(() => world.say('.')).toThrow('Too much speech is queued on this call');
    expect(world.told).toEqual(['full: speech', 'full: speech']);
  });

  it('transcribes the caller, in order, and never itself', async () => {
    await answered();
    world.say(SECOND.repeat(3));
    for (let turn = 0; turn < 2; turn++) {
      callerSpeaks(400);
      await until(() => world.of('call_transcript').length === turn + 1);
    }
    const line = { speaker: '+33123456789', text: `${CALLER_HZ} Hz` };
    expect(world.call.transcript.since(0).lines).toEqual([line, line]);
    expect(world.of('call_transcript')).toMatchObject([line, line]);
    expect(world.of('speech').map(({ state }) => state)).toEqual(['started', 'ended', 'started', 'ended']);
  });

  it('keeps the last words of a caller who hangs up', async () => {
    await answered();
    callerSpeaks(2_000);
    await until(() => world.of('speech').length > 0);
    await sleep(400);
    world.hangUp();
    await world.sessions.settled();
    expect(world.call.transcript.since(0).lines.map(({ text }) => text)).toContain(`${CALLER_HZ} Hz`);
    const types = world.events.slice(-2).map(({ type }) => type);
    expect(types).toContain('call_state');
    await until(() => world.pool.report().transports === 0);
  });

  it('loses its bridge thread: the text fails, and the next one is spoken', async () => {
    await answered();
    const first = world.say(SECOND);
    const last = world.say('crash');
    await until(() => world.statesOf(last).includes('failed'));
    expect(['finished', 'failed']).toContain(world.statesOf(first).at(-1));
    expect(world.of('call_error').map(({ code }) => code)).toEqual(['stt_failed', 'tts_failed']);
    const next = world.say(SECOND);
    await until(() => world.statesOf(next).includes('finished'));
    expect(world.statesOf(next)).toEqual(['started', 'finished']);
  });

  it('fails for good when its bridge threads die again and again', async () => {
    await answered();
    for (let i = 1; i <= 4; i++) {
      world.say('crash');
      await until(() => world.of('call_error').length === 2 * i);
    }
    expect(() => world.say(SECOND)).toThrow('Hosted speech has failed on this call');
    expect(world.call.state.name).toBe('active');
  });
});

describe('a call without hosted speech', () => {
  it('starts no bridge thread, and refuses to speak', async () => {
    await answered({ tts: null, stt: null });
    expect(() => world.say(SECOND)).toThrow('Hosted TTS not configured');
    world.stop();
    expect(world.pool.report()).toMatchObject({ threads: 0, transports: 0 });
  });

  it('that only listens refuses to speak', async () => {
    await answered({ ...BOTH, tts: null });
    expect(() => world.say(SECOND)).toThrow('Hosted TTS not configured');
    callerSpeaks(200);
    await until(() => world.of('call_transcript').length === 1);
  });
});
