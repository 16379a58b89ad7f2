import { describe, expect, it } from 'vitest';
import { SOMETIME, SOON, TimeScaler } from '../../../src/audio/time-scaler.ts';
import { rmsDbfs } from '../../support/levels.ts';
import { joined, noise, silence, speech } from '../../support/speech-signal.ts';
import { fitSine } from '../../support/tone-analysis.ts';

type Way = 'shorten' | 'lengthen';

const SENTENCE = 'Your parcel was sent on Tuesday. It should be with you before the weekend.';

function tone(hz: number, rateHz: number, seconds: number): Int16Array {
  return Int16Array.from(
    { length: rateHz * seconds },
    (_, i) => 9_000 * Math.sin((2 * Math.PI * hz * i) / rateHz),
  );
}

/** Plays all of a sound with the pace changed as much as possible, and each frame's change in ms. */
function scale(sound: Int16Array, rateHz: number, way: Way, haste = SOON, wanted = rateHz) {
  const scaler = new TimeScaler(rateHz);
  const inputSamples = scaler.inputSamples(wanted);
  const length = rateHz / 50;
  const frame = new Int16Array(length);
  const frames: Int16Array[] = [];
  const changesMs: number[] = [];
  let at = 0;
  while (at + inputSamples <= sound.length) {
    const input = sound.subarray(at, at + (way === 'shorten' ? inputSamples : length));
    const taken = scaler[way](input, wanted, haste, frame);
    frames.push(frame.slice());
    changesMs.push(((taken - length) * 1000) / rateHz);
    at += taken;
  }
  return {
    out: joined(...frames),
    changesMs,
    share: (at - frames.length * length) / (frames.length * length),
  };
}

function largestStep(samples: Int16Array): number {
  let largest = 0;
  for (let i = 1; i < samples.length; i++)
    largest = Math.max(largest, Math.abs(samples[i]! - samples[i - 1]!));
  return largest;
}

describe('the time scaler at 8000 Hz', () => {
  it('keeps the phase of a tone whose period is no whole number of samples', () => {
    const hz = 1_006.25;
    const { out, changesMs } = scale(tone(hz, 8_000, 20), 8_000, 'shorten');
    expect(changesMs.filter((change) => change > 0).length).toBeGreaterThan(50);
    const off = phaseSteps(out, hz, 8_000);
    expect(Math.max(...off.map(Math.abs))).toBeLessThan(0.3);
  });
});

/** By how much the phase of each frame differs from that of a tone that goes on from the frame before, in radians. */
function phaseSteps(samples: Int16Array, hz: number, rateHz: number): number[] {
  const length = rateHz / 50;
  const turn = (2 * Math.PI * hz) / rateHz;
  const phases: number[] = [];
  for (let at = 0; at + length <= samples.length; at += length) {
    let [sine, cosine] = [0, 0];
    for (let i = 0; i < length; i++) {
      sine += samples[at + i]! * Math.sin(turn * (at + i));
      cosine += samples[at + i]! * Math.cos(turn * (at + i));
    }
    phases.push(Math.atan2(cosine, sine));
  }
  return phases.slice(1).map((phase, i) => {
    const step = phase - phases[i]!;
    return step - 2 * Math.PI * Math.round(step / (2 * Math.PI));
  });
}

describe.each([8_000, 16_000, 48_000])('the time scaler at %i Hz', (rateHz) => {
  it.each([
    ['shorten', 1_000],
    ['shorten', 20],
    ['lengthen', 1_000],
  ] as const)('%ss a tone by whole periods, without a step, when %i ms are wanted', (way, wantedMs) => {
    const sound = tone(200, rateHz, 2);
    const { out, changesMs, share } = scale(sound, rateHz, way, SOON, (wantedMs * rateHz) / 1000);
    expect(Math.abs(share)).toBeGreaterThan(0.1);
    expect(fitSine(out, rateHz, 200).snrDb).toBeGreaterThan(25);
    expect(largestStep(out)).toBeLessThan(1.1 * largestStep(sound));
    for (const change of changesMs) expect(Math.abs(change) % 5).toBeCloseTo(0, 5);
  });

  it.each([
    ['shorten', 'speech'],
    ['lengthen', 'speech'],
    ['shorten', 'noise'],
    ['lengthen', 'noise'],
  ] as const)('%ss %s by at most 15 %% of any second, and keeps its level', (way, kind) => {
    const sound = kind === 'speech' ? speech(SENTENCE, rateHz) : noise(5_000, rateHz, -30);
    const { out, changesMs, share } = scale(sound, rateHz, way);
    expect(Math.abs(share)).toBeGreaterThan(0.1);
    for (let i = 0; i + 50 <= changesMs.length; i++) {
      const ofSecond = changesMs.slice(i, i + 50).reduce((sum, change) => sum + Math.abs(change), 0);
      // What has not been used up before, at most one large lag, counts as well.
      expect(ofSecond).toBeLessThanOrEqual(150 + 30);
    }
    expect(Math.abs(rmsDbfs(out) - rmsDbfs(sound))).toBeLessThan(0.5);
  });

  it('leaves speech as it is until a quiet place when there is no hurry', () => {
    const sound = joined(
      tone(200, rateHz, 0.1),
      noise(400, rateHz, -12),
      silence(400, rateHz),
      noise(400, rateHz, -12),
    );
    const { changesMs } = scale(sound, rateHz, 'shorten', SOMETIME);
    const loud = changesMs.slice(5, 23).filter((change) => change !== 0);
    const quiet = changesMs.slice(26, 42).filter((change) => change !== 0);
    expect(loud).toHaveLength(0);
    expect(quiet.length).toBeGreaterThan(2);
  });

  it('takes silence away to the sample', () => {
    const scaler = new TimeScaler(rateHz);
    const frame = new Int16Array(rateHz / 50);
    const input = new Int16Array(scaler.inputSamples(7));
    expect(scaler.shorten(input, 7, SOMETIME, frame)).toBe(frame.length + 7);
    expect(scaler.lengthen(input, 3, SOMETIME, frame)).toBe(frame.length - 3);
  });
});
