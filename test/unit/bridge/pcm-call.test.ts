import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PCM_MEDIA } from '../../../src/media/pcm-media.ts';
import { BridgePool } from '../../../src/threads/bridge-pool.ts';
import type { Engine } from '../../../src/threads/engine.ts';
import { retryAudio } from '../../support/stall-probe.ts';
import {
  type RecordingEngineObserver,
  startTestEngine,
  TestCall,
  until,
} from '../engine/support/test-engine.ts';
import { AGENT_HZ, Meeting, secondOf, VOICES_HZ } from './meeting.ts';
import { MEETING, type MeetingOpen } from './test-meeting.ts';
import { RESUMING } from './test-transport.ts';

const ROOM_HZ = 48_000;
const retry = retryAudio();

let engine: Engine;
let pool: BridgePool;
let engineObserver: RecordingEngineObserver;

beforeEach(async () => {
  ({ engine, observer: engineObserver } = await startTestEngine());
  pool = new BridgePool({
    observer: { transportLost: () => {}, threadStalled: () => {}, fault: () => {} },
    workerUrl: new URL('./test.worker.ts', import.meta.url),
  });
});

afterEach(async () => {
  await engine.close(1_000);
  await pool.close(1_000);
});

const nobody = { signal: () => {}, lost: () => {} };

function meetingOpen(sampleRateHz: number): MeetingOpen {
  return { rings: pool.pcmRings(VOICES_HZ.length, ROOM_HZ), tonesHz: VOICES_HZ, sampleRateHz };
}

async function join(voiceRateHz: number): Promise<Meeting> {
  const open = meetingOpen(voiceRateHz);
  const transport = await pool.open(MEETING, open, nobody);
  const call = engine.place('call_1', { ended: () => {}, turned: () => {}, heard: () => {} });
  await call.media.open(PCM_MEDIA, open.rings, () => {});
  return new Meeting(call, transport, ROOM_HZ);
}

describe.each([48_000, 16_000])('a call over a bridge thread with three voices at %i Hz', (voiceRateHz) => {
  it('mixes them for the agent, who does not hear itself', async () => {
    const meeting = await join(voiceRateHz);
    await meeting.agentHears();
    meeting.expectTones(await meeting.agentHears(), VOICES_HZ);
  });

  it('plays the agent to the platform, without its voices', async () => {
    const meeting = await join(voiceRateHz);
    await meeting.platformHears();
    meeting.expectTones(await meeting.platformHears(), [AGENT_HZ]);
  });

  it('gives each tap its voice alone', { retry }, async () => {
    const meeting = await join(voiceRateHz);
    const taps = VOICES_HZ.map((_, voice) => meeting.tap(voice));
    await Promise.all(taps.map(secondOf));
    const heard = await Promise.all(taps.map(secondOf));
    for (const [voice, samples] of heard.entries()) meeting.expectTones(samples, [VOICES_HZ[voice]!]);
    meeting.call.tap(1, null);
    meeting.expectTones(await meeting.agentHears(), VOICES_HZ);
  });
});

describe('a call over a bridge thread, when its engine thread dies', () => {
  it('continues on another one, taps included', async () => {
    const meeting = await join(ROOM_HZ);
    const tap = meeting.tap(2);
    await secondOf(tap);
    const sick = new TestCall(engine, 'call_sick');
    await sick.open();
    sick.run('exit').catch(() => {});
    await until(() => engineObserver.moved.includes('call_1'));
    await Promise.all([secondOf(tap), meeting.agentHears()]);
    meeting.expectTones(await secondOf(tap), [VOICES_HZ[2]!]);
    meeting.expectTones(await meeting.agentHears(), VOICES_HZ);
    meeting.expectTones(await meeting.platformHears(), [AGENT_HZ]);
  });
});

describe('a call over a bridge thread, when that thread dies', () => {
  it('stays open and silent, and goes on with another transport on its rings', async () => {
    const lost: string[] = [];
    const ended: unknown[] = [];
    const open = meetingOpen(ROOM_HZ);
    const observer = { signal: () => {}, lost: (reason: string) => lost.push(reason) };
    const transport = await pool.open({ ...MEETING, recovery: 'rejoin' }, open, observer);
    const call = engine.place('call_1', {
      ended: (termination) => ended.push(termination),
      turned: () => {},
      heard: () => {},
    });
    await call.media.open(PCM_MEDIA, open.rings, () => {});
    const meeting = new Meeting(call, transport, ROOM_HZ);
    await meeting.agentHears();
    const sick = await pool.open(RESUMING, {}, nobody);
    sick.command('run', 'exit').catch(() => {});
    await until(() => lost.length === 1);
    await meeting.agentHears();
    meeting.expectTones(await meeting.agentHears(), []);
    meeting.transport = await pool.open(MEETING, open, nobody);
    await meeting.agentHears();
    meeting.expectTones(await meeting.agentHears(), VOICES_HZ);
    await meeting.platformHears();
    meeting.expectTones(await meeting.platformHears(), [AGENT_HZ]);
    expect([ended, engineObserver.failed, engineObserver.moved, engineObserver.faults]).toEqual([
      [],
      [],
      [],
      [],
    ]);
  });
});
