import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { OpenedTransport } from '../../../src/media/transport.ts';
import { type FrameRing, FrameRingConsumer, frameRingMemory } from '../../../src/rings/frame-ring.ts';
import type { EngineCall } from '../../../src/threads/call-link.ts';
import { Tone } from '../../support/tone.ts';
import { toneLevelDb } from '../../support/tone-analysis.ts';
import { TestAgent, until } from '../engine/support/test-engine.ts';
import type { MeetingCommands } from './test-meeting.ts';

export const VOICES_HZ = [300, 700, 1_900];
export const AGENT_HZ = 1_300;
/** What is not there is at least this much lower than what is. */
const APART_DB = 40;
/** What is there is at least this loud, relative to full scale: a tone in which a frame or two were concealed. */
const AUDIBLE_DB = -26;

/** A meeting of three voices, with one agent that plays a tone of its own. */
export class Meeting {
  readonly call: EngineCall;
  readonly roomHz: number;
  readonly agent: TestAgent;
  transport: OpenedTransport<MeetingCommands>;

  constructor(call: EngineCall, transport: OpenedTransport<MeetingCommands>, roomHz: number) {
    this.call = call;
    this.transport = transport;
    this.roomHz = roomHz;
    this.agent = new TestAgent(call);
    this.agent.audio.listen(roomHz);
    call.startAudio();
    const tone = new Tone(AGENT_HZ, roomHz, 0.2);
    const samples = new Int16Array(30 * roomHz);
    tone.fill(samples);
    this.agent.audio.write(samples, roomHz);
  }

  /** The next second that the agent hears. */
  async agentHears(): Promise<Int16Array> {
    this.agent.frames.length = 0;
    await until(() => this.agent.frames.length >= 50);
    return samplesOf(this.agent.frames.slice(0, 50));
  }

  /** The next second that the platform hears. */
  async platformHears(): Promise<Int16Array> {
    await this.transport.command('heard');
    const heard: number[] = [];
    while (heard.length < this.roomHz) {
      await sleep(50);
      for (const sample of await this.transport.command('heard')) heard.push(sample);
    }
    return Int16Array.from(heard.slice(0, this.roomHz));
  }

  /** Taps a voice. */
  tap(voice: number): FrameRing {
    const tap = { sampleRateHz: this.roomHz, memory: frameRingMemory(this.roomHz) };
    this.call.tap(voice, tap);
    return tap;
  }

  /** Expects exactly these tones, of voices and agent. */
  expectTones(samples: Int16Array, expectedHz: readonly number[]): void {
    const levels = [...VOICES_HZ, AGENT_HZ].map((hz) => ({ hz, db: toneLevelDb(samples, this.roomHz, hz) }));
    const present = levels.filter(({ hz }) => expectedHz.includes(hz)).map(({ db }) => db);
    const absent = levels.filter(({ hz }) => !expectedHz.includes(hz)).map(({ db }) => db);
    for (const db of present) expect(db).toBeGreaterThan(AUDIBLE_DB);
    expect(Math.max(...absent)).toBeLessThan(
      (present.length > 0 ? Math.min(...present) : AUDIBLE_DB) - APART_DB,
    );
  }
}

/** Reads a tap for one second. */
export async function secondOf(tap: FrameRing): Promise<Int16Array> {
  const ring = new FrameRingConsumer(tap.memory, tap.sampleRateHz);
  const frames: Uint8Array[] = [];
  await until(() => {
    for (let waiting = ring.waiting(); waiting > 0; waiting--) {
      frames.push(Uint8Array.from(ring.oldest()));
      ring.release();
    }
    return frames.length >= 50;
  });
  return samplesOf(frames);
}

function samplesOf(frames: readonly Uint8Array[]): Int16Array {
  const bytes = Buffer.concat(frames);
  return new Int16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 2);
}
