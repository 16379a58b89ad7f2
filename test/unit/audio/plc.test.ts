import { describe, expect, it } from 'vitest';
import { PacketLossConcealer } from '../../../src/audio/plc.ts';
import { rmsDbfs } from '../../support/levels.ts';
import { Tone } from '../../support/tone.ts';
import { fitSine } from '../../support/tone-analysis.ts';

/** Plays `frames` of 20 ms of a tone, some of them lost; returns what the listener hears. */
function playTone(
  frequencyHz: number,
  sampleRateHz: number,
  frames: number,
  isLost: (frame: number) => boolean,
) {
  const length = sampleRateHz / 50;
  const plc = new PacketLossConcealer(sampleRateHz);
  const tone = new Tone(frequencyHz, sampleRateHz, 0.5);
  const out = new Int16Array(frames * length);
  for (let i = 0; i < frames; i++) {
    tone.fill(out.subarray(i * length, (i + 1) * length));
    if (isLost(i)) plc.conceal(out, i * length, length);
    else plc.heard(out, i * length, length);
  }
  return out;
}

function largestStep(samples: Int16Array): number {
  let largest = 0;
  for (let i = 1; i < samples.length; i++)
    largest = Math.max(largest, Math.abs(samples[i]! - samples[i - 1]!));
  return largest;
}

describe('PacketLossConcealer', () => {
  it.each([
    [200, 8_000],
    [400, 8_000],
    [150, 16_000],
    [220, 48_000],
  ])('extends a voice of %i Hz at %i Hz', (frequencyHz, sampleRateHz) => {
    const frame = sampleRateHz / 50;
    const heard = playTone(frequencyHz, sampleRateHz, 10, (i) => i === 6);
    const held = heard.subarray(6 * frame, 6.5 * frame);
    expect(fitSine(held, sampleRateHz, frequencyHz).snrDb).toBeGreaterThan(15);
    expect(Math.abs(rmsDbfs(held) - rmsDbfs(heard.subarray(4 * frame, 5 * frame)))).toBeLessThan(1.5);
  });

  it.each([8_000, 16_000, 48_000])('has no click at either seam at %i Hz', (sampleRateHz) => {
    const whole = playTone(300, sampleRateHz, 20, () => false);
    const patched = playTone(300, sampleRateHz, 20, (i) => i === 7 || i === 8 || i === 13);
    expect(largestStep(patched)).toBeLessThan(1.6 * largestStep(whole));
  });

  it('smooths the seam where sound was left out', () => {
    const step = (mends: boolean) => {
      const plc = new PacketLossConcealer(8_000);
      const tone = new Tone(210, 8_000, 0.5);
      const out = new Int16Array(160 * 8);
      for (let i = 0; i < 8; i++) {
        const frame = out.subarray(i * 160, (i + 1) * 160);
        tone.fill(frame);
        if (i === 5) tone.fill(frame.subarray(0, 97));
        if (i === 5 && mends) plc.skip();
        plc.heard(out, i * 160, 160);
      }
      return largestStep(out.subarray(4 * 160, 5 * 160 + 40));
    };
    expect(step(true)).toBeLessThan(0.4 * step(false));
  });

  it('fades to silence over 160 ms', () => {
    const heard = playTone(300, 8_000, 18, (i) => i >= 8);
    const levels = [8, 9, 11, 15, 16].map((i) => rmsDbfs(heard.subarray(i * 160, (i + 1) * 160)));
    expect(levels[0]).toBeGreaterThan(levels[1]! + 0.5);
    expect(levels[1]).toBeGreaterThan(levels[2]! + 3);
    expect(levels[2]).toBeGreaterThan(levels[3]! + 6);
    expect(levels[4]).toBe(-100);
  });

  it('foresees how it goes on', () => {
    const plc = new PacketLossConcealer(16_000);
    const out = new Int16Array(320);
    new Tone(210, 16_000, 0.5).fill(out);
    plc.heard(out, 0, 320);
    plc.conceal(out, 0, 320);
    const foreseen = new Int16Array(22);
    plc.foresee(foreseen, 0, 22);
    plc.conceal(out, 0, 320);
    const faults = foreseen.map((sample, i) => Math.abs(sample - out[i]!));
    expect(Math.max(...faults)).toBeLessThan(200);
    expect(rmsDbfs(foreseen)).toBeGreaterThan(-20);
  });

  it('conceals nothing before any sound', () => {
    const out = new Int16Array(160).fill(7);
    new PacketLossConcealer(8_000).conceal(out, 0, 160);
    expect(out.every((sample) => sample === 0)).toBe(true);
  });

  it('leaves received sound alone, and honours offset and length', () => {
    const plc = new PacketLossConcealer(8_000);
    const samples = new Int16Array(480).fill(1_000);
    plc.heard(samples, 0, 480);
    expect(samples.every((sample) => sample === 1_000)).toBe(true);
    const out = new Int16Array(20).fill(-5);
    plc.conceal(out, 5, 10);
    expect(Array.from(out.subarray(0, 5))).toEqual([-5, -5, -5, -5, -5]);
    expect(Array.from(out.subarray(15))).toEqual([-5, -5, -5, -5, -5]);
    expect(out[6]).toBeGreaterThan(900);
  });
});
