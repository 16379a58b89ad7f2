import { describe, expect, it } from 'vitest';
import { mayHaveOpusFec } from '../../../src/audio/opus-packet.ts';
import { WasmOpus } from '../../../src/audio/opus-wasm.ts';
import type { Payload } from '../../../src/audio/payload.ts';
import { OpusVoiceDecoder, OpusVoiceEncoder } from '../../../src/rtp/codecs/opus-codec.ts';
import { rmsDbfs } from '../../support/levels.ts';
import { joined, noise } from '../../support/speech-signal.ts';
import { tone } from '../../support/tone.ts';
import { likenessDb, voice } from '../audio/opus-voice.ts';

const RATE_HZ = 48_000;
const FRAME = 960;
const FRAMES_PER_S = 50;
/** Algorithmic delay of libopus at most, in samples. */
const MAX_DELAY = 400;
const NO_PAYLOAD: Payload = { bytes: new Uint8Array(0), payloadOffset: 0, payloadLength: 0 };

const opus = new WasmOpus();

function payloadsOf(said: Int16Array, lossPercent = 0): Payload[] {
  const encoder = new OpusVoiceEncoder(opus, RATE_HZ);
  if (lossPercent > 0) encoder.expectLoss(lossPercent);
  const out = new Uint8Array(400);
  const payloads: Payload[] = [];
  for (let at = 0; at + FRAME <= said.length; at += FRAME) {
    const bytes = out.slice(0, encoder.encode(said.subarray(at, at + FRAME), true, out, 0));
    payloads.push({ bytes, payloadOffset: 0, payloadLength: bytes.length });
  }
  encoder.close();
  return payloads;
}

/** What is heard of these payloads, in frames, when some of them are lost. The one after a loss may help. */
function heardOf(payloads: readonly Payload[], isLost: (frame: number) => boolean): Int16Array[] {
  const decoder = new OpusVoiceDecoder(opus, RATE_HZ);
  const heard = payloads.map((payload, i) => {
    const frame = new Int16Array(FRAME);
    const next = isLost(i + 1) ? NO_PAYLOAD : (payloads[i + 1] ?? NO_PAYLOAD);
    if (isLost(i)) decoder.conceal(next, frame, 0, FRAME);
    else decoder.decode(payload, frame, 0, FRAME);
    return frame;
  });
  decoder.close();
  return heard;
}

function largestStep(frames: readonly Int16Array[]): number {
  const samples = joined(...frames);
  let largest = 0;
  for (let i = 1; i < samples.length; i++)
    largest = Math.max(largest, Math.abs(samples[i]! - samples[i - 1]!));
  return largest;
}

describe('a loss in Opus', () => {
  const LOST_FROM = 2 * FRAMES_PER_S;
  const LOST_UNTIL = LOST_FROM + 15;
  const isLost = (frame: number) => frame >= LOST_FROM && frame < LOST_UNTIL;

  it('is filled with what was heard last, which keeps its level for a packet and then fades', () => {
    const heard = heardOf(payloadsOf(tone(440, RATE_HZ, 3 * RATE_HZ)), isLost);
    const before = rmsDbfs(heard[LOST_FROM - 1]!);
    const levels = heard.slice(LOST_FROM, LOST_UNTIL).map((frame) => rmsDbfs(frame) - before);
    expect(Math.max(...levels)).toBeLessThan(1);
    expect(levels[0]).toBeGreaterThan(-1);
    expect(levels[2]).toBeGreaterThan(-6);
    expect(levels[5]).toBeLessThan(-8);
    expect(Math.max(...levels.slice(8))).toBeLessThan(-40);
  });

  it('ends without a click', () => {
    const payloads = payloadsOf(tone(440, RATE_HZ, 3 * RATE_HZ));
    const whole = largestStep(heardOf(payloads, () => false));
    for (const length of [1, 2, 3, 7, 15]) {
      const heard = heardOf(payloads, (frame) => frame >= LOST_FROM && frame < LOST_FROM + length);
      expect(largestStep(heard.slice(LOST_FROM - 1)), `${length} lost`).toBeLessThan(1.6 * whole);
    }
  });

  it('fades into the background', () => {
    const background = noise(4_000, RATE_HZ, -45);
    const heard = heardOf(payloadsOf(joined(background, background)), (frame) => frame >= 200);
    for (const frame of heard.slice(209, 230)) expect(Math.abs(rmsDbfs(frame) + 45)).toBeLessThan(5);
  });

  it('is restored from the packet after it', () => {
    const said = voice(RATE_HZ, 2);
    const likeness = (lossPercent: number) => {
      const heard = heardOf(payloadsOf(said, lossPercent), (frame) => frame % 5 === 4);
      return likenessDb(joined(...heard), said, MAX_DELAY);
    };
    expect(likeness(10)).toBeGreaterThan(likeness(0) + 1);
  });

  it('is not restored from a packet without FEC unless it is a single packet', () => {
    const said = voice(RATE_HZ, 2);
    const hasFec = ({ bytes, payloadOffset, payloadLength }: Payload) =>
      mayHaveOpusFec(bytes, payloadOffset, payloadLength);
    expect(payloadsOf(said).some(hasFec)).toBe(false);
    expect(payloadsOf(said, 10).filter(hasFec).length).toBeGreaterThan(50);
    const heard = heardOf(payloadsOf(tone(440, RATE_HZ, 3 * RATE_HZ)), isLost);
    expect(rmsDbfs(heard[LOST_UNTIL - 1]!)).toBe(-100);
  });

  it('leaves the first sound as it is', () => {
    const [payload = NO_PAYLOAD] = payloadsOf(tone(440, RATE_HZ, FRAME));
    const rested = new OpusVoiceDecoder(opus, RATE_HZ);
    const fresh = new OpusVoiceDecoder(opus, RATE_HZ);
    const frames = [rested, fresh].map((decoder) => {
      const frame = new Int16Array(FRAME);
      if (decoder === rested) decoder.rest(frame, 0, FRAME);
      decoder.decode(payload, frame, 0, FRAME);
      decoder.close();
      return frame;
    });
    expect(frames[0]).toEqual(frames[1]);
  });
});
