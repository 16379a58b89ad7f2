import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MediaEvent } from '../../../src/media/media-leg.ts';
import { PACKET_MEDIA, type VoiceSignal } from '../../../src/rtp/rtp-protocol.ts';
import { BridgePool } from '../../../src/threads/bridge-pool.ts';
import type { Engine } from '../../../src/threads/engine.ts';
import { STREAM_CODECS } from '../../support/packet-stream.ts';
import {
  type RecordingEngineObserver,
  startTestEngine,
  TestCall,
  until,
} from '../engine/support/test-engine.ts';
import { AGENT_HZ, Meeting, secondOf, VOICES_HZ } from './meeting.ts';
import { FIRST_SSRC, PACKET_MEETING } from './test-packet-meeting.ts';
import { RESUMING } from './test-transport.ts';

let engine: Engine;
let pool: BridgePool;
let engineObserver: RecordingEngineObserver;
let events: MediaEvent<VoiceSignal>[];
/** Kinds of the transports that lost their thread and are resumed. */
let resumed: string[];

beforeEach(async () => {
  events = [];
  resumed = [];
  ({ engine, observer: engineObserver } = await startTestEngine());
  pool = new BridgePool({
    observer: {
      transportLost: (kind, _reason, isResumed) => void (isResumed && resumed.push(kind)),
      threadStalled: () => {},
      fault: () => {},
    },
    workerUrl: new URL('./test.worker.ts', import.meta.url),
  });
});

afterEach(async () => {
  await engine.close(1_000);
  await pool.close(1_000);
});

const nobody = { signal: () => {}, lost: () => {} };

async function join(codec: 'PCMU' | 'opus'): Promise<Meeting> {
  const { clockRateHz: sampleRateHz, payloadType } = STREAM_CODECS[codec];
  const rings = pool.packetRings();
  const transport = await pool.open(PACKET_MEETING, { rings, tonesHz: VOICES_HZ, codec }, nobody);
  const call = engine.place('call_1', { ended: () => {}, turned: () => {}, heard: () => {} });
  const open = { rings, sampleRateHz, speakers: 'ssrc' } as const;
  const media = await call.media.open(PACKET_MEDIA, open, (event) => events.push(event));
  await media.configure({ codec, payloadType, opus: null, sending: true, receiving: true });
  return new Meeting(call, transport, sampleRateHz);
}

/** The source of each voice, as reported last. */
function voices(): number[] {
  const sources: number[] = [];
  for (const event of events) if (event.type === 'signal') sources[event.signal.voice] = event.signal.ssrc;
  return sources;
}

const SOURCES = VOICES_HZ.map((_, i) => FIRST_SSRC + i);

describe.each(['opus', 'PCMU'] as const)('a call over packet rings with three sources in %s', (codec) => {
  it('mixes them for the agent, who does not hear itself', async () => {
    const meeting = await join(codec);
    await meeting.agentHears();
    meeting.expectTones(await meeting.agentHears(), VOICES_HZ);
  });

  it('plays the agent to the platform, without its voices', async () => {
    const meeting = await join(codec);
    await meeting.platformHears();
    meeting.expectTones(await meeting.platformHears(), [AGENT_HZ]);
  });

  it('names each voice, and gives each tap its voice alone', async () => {
    const meeting = await join(codec);
    const taps = VOICES_HZ.map((_, voice) => meeting.tap(voice));
    await Promise.all(taps.map(secondOf));
    const heard = await Promise.all(taps.map(secondOf));
    for (const [voice, samples] of heard.entries()) meeting.expectTones(samples, [VOICES_HZ[voice]!]);
    expect(voices()).toEqual(SOURCES);
    expect(events.filter(({ type }) => type === 'flowing')).toHaveLength(1);
  });

  it('continues on another engine thread when its own dies: same voices, taps included', async () => {
    const meeting = await join(codec);
    const tap = meeting.tap(2);
    await secondOf(tap);
    const sick = new TestCall(engine, 'call_sick');
    await sick.open();
    events.length = 0;
    sick.run('exit').catch(() => {});
    await until(() => engineObserver.moved.includes('call_1'));
    await Promise.all([secondOf(tap), meeting.agentHears()]);
    meeting.expectTones(await secondOf(tap), [VOICES_HZ[2]!]);
    meeting.expectTones(await meeting.agentHears(), VOICES_HZ);
    await meeting.platformHears();
    meeting.expectTones(await meeting.platformHears(), [AGENT_HZ]);
    expect(voices()).toEqual(SOURCES);
  });
});

describe('a call over packet rings, when its bridge thread dies', () => {
  it('stays open, and goes on with the transport that is resumed on its rings', async () => {
    const meeting = await join('opus');
    await meeting.agentHears();
    const sick = await pool.open(RESUMING, {}, nobody);
    sick.command('run', 'exit').catch(() => {});
    await until(() => resumed.includes(PACKET_MEETING.kind));
    await meeting.transport.command('heard');
    await meeting.agentHears();
    meeting.expectTones(await meeting.agentHears(), VOICES_HZ);
    await meeting.platformHears();
    meeting.expectTones(await meeting.platformHears(), [AGENT_HZ]);
    expect([engineObserver.failed, engineObserver.moved, engineObserver.faults]).toEqual([[], [], []]);
  });
});
