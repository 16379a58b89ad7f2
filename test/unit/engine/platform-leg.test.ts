import { expect, it } from 'vitest';
import { PlatformLegParty } from '../../../src/engine/platform-leg.ts';
import { TurnMeter } from '../../../src/engine/turn-meter.ts';
import type { MediaLeg } from '../../../src/media/media-leg.ts';
import { FrameRingConsumer, frameRingMemory } from '../../../src/rings/frame-ring.ts';
import { SENT_LEVEL_BYTES, SentLevel } from '../../../src/rings/sent-level.ts';
import { EngineStats } from '../../../src/threads/engine-stats.ts';

const RATE_HZ = 8_000;
const NO_METER = new TurnMeter(() => {});

it('taps a voice in every tick, silence and announcements included, except on hold', () => {
  const leg = {
    sampleRateHz: RATE_HZ,
    onHold: false,
    voices: [{ pull: (frame: Int16Array) => frame.fill(7).length > 0 }],
  };
  const platform = new PlatformLegParty(leg as unknown as MediaLeg, new EngineStats(), NO_METER);
  const ring = { sampleRateHz: RATE_HZ, memory: frameRingMemory(RATE_HZ) };
  const tapped = new FrameRingConsumer(ring.memory, RATE_HZ);
  const frame = new Int16Array(160);
  platform.tap(0, ring);
  platform.pull(frame);
  leg.voices[0]!.pull = () => false;
  platform.pull(frame);
  expect(tapped.waiting()).toBe(2);
  leg.onHold = true;
  platform.pull(frame);
  expect(tapped.waiting()).toBe(3);
  platform.isAnswered = true;
  platform.pull(frame);
  expect(platform.onHold).toBe(true);
  expect(tapped.waiting()).toBe(3);
  leg.onHold = false;
  platform.pull(frame);
  expect(tapped.waiting()).toBe(4);
});

it('notes how loud the sent audio is while a voice is tapped', () => {
  const leg = { sampleRateHz: RATE_HZ, onHold: false, voices: [{ pull: () => false }], push: () => {} };
  const platform = new PlatformLegParty(leg as unknown as MediaLeg, new EngineStats(), NO_METER);
  const level = new SentLevel(new SharedArrayBuffer(SENT_LEVEL_BYTES));
  const frame = new Int16Array(160).fill(16_384);
  platform.noteSentTo(level);
  platform.push(frame, true);
  expect(level.take()).toBe(0);
  platform.tap(0, { sampleRateHz: RATE_HZ, memory: frameRingMemory(RATE_HZ) });
  platform.push(frame, false);
  expect(level.take()).toBe(0);
  platform.push(frame, true);
  expect(level.take()).toBe(0.25);
});
