import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PCM_MEDIA } from '../../../src/connectors/contract/pcm-media.ts';
import type { OpenedTransport } from '../../../src/connectors/contract/transport.ts';
import { BridgePool } from '../../../src/threads/bridge-pool.ts';
import type { EngineCall } from '../../../src/threads/call-link.ts';
import type { Engine } from '../../../src/threads/engine.ts';
import { type FrameRing, FrameRingConsumer, frameRingMemory } from '../../../src/threads/frame-ring.ts';
import { Tone } from '../../support/tone.ts';
import { toneLevelDb } from '../../support/tone-analysis.ts';
import {
  type RecordingEngineObserver,
  startTestEngine,
  TestAgent,
  TestCall,
  until,
} from '../engine/support/test-engine.ts';
import { MEETING, type MeetingCommands } from './test-meeting.ts';

const ROOM_HZ = 48_000;
const VOICES_HZ = [300, 700, 1_900];
const AGENT_HZ = 1_300;
/** What is not there is at least this much lower than what is. */
const APART_DB = 40;

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

/** A meeting of three voices, with one agent that plays a tone of its own. */
class Meeting {
  readonly call: EngineCall;
  readonly agent: TestAgent;
  readonly #transport: OpenedTransport<MeetingCommands>;

  static async join(voiceRateHz: number): Promise<Meeting> {
    const rings = pool.pcmRings(VOICES_HZ.length, ROOM_HZ);
    const open = { rings, tonesHz: VOICES_HZ, sampleRateHz: voiceRateHz };
    const transport = await pool.open(MEETING, open, { signal: () => {}, lost: () => {} });
    const call = engine.place('call_1', { ended: () => {} });
    await call.media.open(PCM_MEDIA, rings, () => {});
    return new Meeting(call, transport);
  }

  private constructor(call: EngineCall, transport: OpenedTransport<MeetingCommands>) {
    this.call = call;
    this.#transport = transport;
    this.agent = new TestAgent(call);
    this.agent.audio.listen(ROOM_HZ);
    call.startAudio();
    const tone = new Tone(AGENT_HZ, ROOM_HZ, 0.2);
    const samples = new Int16Array(30 * ROOM_HZ);
    tone.fill(samples);
    this.agent.audio.write(samples, ROOM_HZ);
  }

  /** The last second that the agent heard. */
  async agentHears(): Promise<Int16Array> {
    this.agent.frames.length = 0;
    await until(() => this.agent.frames.length >= 50);
    const bytes = Buffer.concat(this.agent.frames.slice(0, 50));
    return new Int16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 2);
  }

  /** A second that the platform heard. */
  async platformHears(): Promise<Int16Array> {
    await this.#transport.command('heard');
    const heard: number[] = [];
    while (heard.length < ROOM_HZ) {
      await sleep(50);
      for (const sample of await this.#transport.command('heard')) heard.push(sample);
    }
    return Int16Array.from(heard.slice(0, ROOM_HZ));
  }
}

/** Reads a tap for one second. */
async function secondOf(tap: FrameRing): Promise<Int16Array> {
  const ring = new FrameRingConsumer(tap.memory, tap.sampleRateHz);
  const frames: Uint8Array[] = [];
  await until(() => {
    for (let waiting = ring.waiting(); waiting > 0; waiting--) {
      frames.push(Uint8Array.from(ring.oldest()));
      ring.release();
    }
    return frames.length >= 50;
  });
  const bytes = Buffer.concat(frames);
  return new Int16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 2);
}

/** Expects exactly these tones. */
function expectTones(samples: Int16Array, expectedHz: readonly number[]): void {
  const levels = [...VOICES_HZ, AGENT_HZ].map((hz) => ({ hz, db: toneLevelDb(samples, ROOM_HZ, hz) }));
  const present = levels.filter(({ hz }) => expectedHz.includes(hz)).map(({ db }) => db);
  const absent = levels.filter(({ hz }) => !expectedHz.includes(hz)).map(({ db }) => db);
  expect(Math.min(...present)).toBeGreaterThan(-20);
  expect(Math.max(...absent)).toBeLessThan(Math.min(...present) - APART_DB);
}

describe.each([48_000, 16_000])('a call over a bridge thread with three voices at %i Hz', (voiceRateHz) => {
  it('mixes them for the agent, who does not hear itself', async () => {
    const meeting = await Meeting.join(voiceRateHz);
    await meeting.agentHears();
    expectTones(await meeting.agentHears(), VOICES_HZ);
  });

  it('plays the agent to the platform, without its voices', async () => {
    const meeting = await Meeting.join(voiceRateHz);
    await meeting.platformHears();
    expectTones(await meeting.platformHears(), [AGENT_HZ]);
  });

  it('gives each tap its voice alone', async () => {
    const meeting = await Meeting.join(voiceRateHz);
    const taps = VOICES_HZ.map(() => ({ sampleRateHz: ROOM_HZ, memory: frameRingMemory(ROOM_HZ) }));
    for (const [voice, tap] of taps.entries()) meeting.call.tap(voice, tap);
    await Promise.all(taps.map(secondOf));
    const heard = await Promise.all(taps.map(secondOf));
    for (const [voice, samples] of heard.entries()) expectTones(samples, [VOICES_HZ[voice]!]);
    meeting.call.tap(1, null);
    expectTones(await meeting.agentHears(), VOICES_HZ);
  });
});

describe('a call over a bridge thread, when its engine thread dies', () => {
  it('continues on another one, taps included', async () => {
    const meeting = await Meeting.join(ROOM_HZ);
    const tap = { sampleRateHz: ROOM_HZ, memory: frameRingMemory(ROOM_HZ) };
    meeting.call.tap(2, tap);
    await secondOf(tap);
    const sick = new TestCall(engine, 'call_sick');
    await sick.open();
    sick.run('exit').catch(() => {});
    await until(() => engineObserver.moved.includes('call_1'));
    await Promise.all([secondOf(tap), meeting.agentHears()]);
    expectTones(await secondOf(tap), [VOICES_HZ[2]!]);
    expectTones(await meeting.agentHears(), VOICES_HZ);
    expectTones(await meeting.platformHears(), [AGENT_HZ]);
  });
});
