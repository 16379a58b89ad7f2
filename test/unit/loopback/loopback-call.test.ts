import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Termination } from '../../../src/base/termination.ts';
import { systemClock } from '../../../src/base/time.ts';
import type { LegObserver } from '../../../src/connectors/contract/call-leg.ts';
import { MeetingLeg } from '../../../src/connectors/kit/meeting-leg.ts';
import { BridgePool } from '../../../src/threads/bridge-pool.ts';
import type { EngineCall } from '../../../src/threads/call-link.ts';
import type { Engine } from '../../../src/threads/engine.ts';
import { LoopbackApi } from '../../loopback/messages/loopback-api.ts';
import { LoopbackVendor } from '../../loopback/server/loopback-vendor.ts';
import type { Meeting } from '../../loopback/server/meeting.ts';
import { LOOPBACK_RULES, LoopbackMeeting } from '../../loopback/signaling/loopback-meeting.ts';
import { tappedVoice } from '../../support/tapped-voice.ts';
import { Tone } from '../../support/tone.ts';
import { toneLevelDb } from '../../support/tone-analysis.ts';
import { waitFor } from '../../support/wait-for.ts';
import { startTestEngine, TestAgent } from '../engine/support/test-engine.ts';

const SAMPLE_RATE_HZ = 48_000;
const PEOPLE = { Ada: 300, Ben: 700, Cleo: 1_900 } as const;
const VOICES_HZ = Object.values(PEOPLE);
const AGENT_HZ = 1_300;
/** What is not there is at least this much lower than what is. */
const APART_DB = 40;

let vendor: LoopbackVendor;
let engine: Engine;
let bridges: BridgePool;

beforeEach(async () => {
  vendor = await LoopbackVendor.start();
  ({ engine } = await startTestEngine());
  bridges = new BridgePool({
    observer: { transportLost: () => {}, threadStalled: () => {}, fault: () => {} },
    workerUrl: new URL('../../loopback/bridge.worker.ts', import.meta.url),
  });
});

afterEach(async () => {
  await bridges.close(1_000);
  await engine.close(1_000);
  await vendor.stop();
});

/** A leg in a meeting of three, and an agent with a tone of its own. */
class Call implements LegObserver {
  readonly meeting: Meeting;
  readonly engineCall: EngineCall;
  readonly leg: MeetingLeg;
  readonly agent: TestAgent;
  /** The participant of each voice, by name. */
  readonly speakers = new Map<number, string>();
  readonly ends: { by: string; termination: Termination }[] = [];
  #names = new Map<string, string>();
  #isAnswered = false;

  static async join(media: 'pcm' | 'packets'): Promise<Call> {
    const call = new Call(media);
    await waitFor('the call to be answered', () => call.#isAnswered);
    await waitFor('three speakers', () => call.speakers.size === 3);
    return call;
  }

  private constructor(media: 'pcm' | 'packets') {
    this.meeting = vendor.meeting();
    for (const [name, toneHz] of Object.entries(PEOPLE)) this.meeting.enter(name, toneHz);
    const { token } = vendor.accounts.bot('Agent');
    const api = new LoopbackApi(vendor.baseUrl, async () => token, systemClock);
    this.engineCall = engine.place('call_1', { ended: () => {}, turned: () => {}, heard: () => {} });
    const loopback = { api, bridges, meeting: { id: this.meeting.id, media }, name: 'Agent' };
    const control = this.engineCall.media;
    this.leg = new MeetingLeg(
      { clock: systemClock, observer: this, rules: LOOPBACK_RULES },
      (leg) => new LoopbackMeeting(loopback, control, this, leg),
    );
    this.engineCall.startAudio();
    this.agent = new TestAgent(this.engineCall);
    this.agent.audio.listen(SAMPLE_RATE_HZ);
    const samples = new Int16Array(30 * SAMPLE_RATE_HZ);
    new Tone(AGENT_HZ, SAMPLE_RATE_HZ, 0.2).fill(samples);
    this.agent.audio.write(samples, SAMPLE_RATE_HZ);
  }

  /** A second that the agent hears from now on. */
  async agentHears(): Promise<Int16Array> {
    this.agent.frames.length = 0;
    await waitFor('a second of audio', () => this.agent.frames.length >= 50);
    return samplesOf(this.agent.frames.slice(0, 50));
  }

  /** A second of one voice alone. */
  async tapHears(voice: number): Promise<Int16Array> {
    // The first half second holds the beginning.
    const frames = await tappedVoice(this.engineCall, voice, SAMPLE_RATE_HZ, 75);
    return frames.subarray(SAMPLE_RATE_HZ / 2);
  }

  ringing(): void {}
  earlyMedia(): void {}
  held(): void {}
  waiting(): void {}
  dtmf(): void {}
  chat(): void {}
  said(): void {}
  capabilities(): void {}
  created(): void {}

  answered(): void {
    this.#isAnswered = true;
  }

  participants(list: Parameters<LegObserver['participants']>[0]): void {
    this.#names = new Map(list.map(({ id, name }) => [id, name]));
  }

  speaking({ voiceId, participantId }: Parameters<LegObserver['speaking']>[0], on: boolean): void {
    if (on) this.speakers.set(voiceId, this.#names.get(participantId ?? '') ?? '?');
    else this.speakers.delete(voiceId);
  }

  ended(by: string, termination: Termination): void {
    this.ends.push({ by, termination });
  }
}

function samplesOf(frames: readonly Uint8Array[]): Int16Array {
  const bytes = Buffer.concat(frames);
  return new Int16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 2);
}

/** Expects exactly these tones. */
function expectTones(samples: Int16Array, expectedHz: readonly number[]): void {
  const levels = [...VOICES_HZ, AGENT_HZ].map((hz) => ({ hz, db: toneLevelDb(samples, SAMPLE_RATE_HZ, hz) }));
  const present = levels.filter(({ hz }) => expectedHz.includes(hz)).map(({ db }) => db);
  const absent = levels.filter(({ hz }) => !expectedHz.includes(hz)).map(({ db }) => db);
  expect(Math.min(...present)).toBeGreaterThan(-20);
  expect(Math.max(...absent)).toBeLessThan(Math.min(...present) - APART_DB);
}

describe.each(['pcm', 'packets'] as const)('a loopback call by %s', (media) => {
  it('names three voices, each alone on its tap, and mixes them without the agent', async () => {
    const call = await Call.join(media);
    expect([...call.speakers.values()].sort()).toEqual(Object.keys(PEOPLE));
    for (const [voice, name] of call.speakers)
      expectTones(await call.tapHears(voice), [PEOPLE[name as keyof typeof PEOPLE]]);
    expectTones(await call.agentHears(), VOICES_HZ);
    const { heard } = call.meeting.session;
    expectTones(await heard.next(SAMPLE_RATE_HZ), [AGENT_HZ]);
    call.leg.hangUp();
    await call.leg.released;
    expect(call.ends.map(({ by }) => by)).toEqual(['local']);
    expect(call.meeting.session.state).toBe('over');
  });
});
