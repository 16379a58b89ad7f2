import { describe, expect, it } from 'vitest';
import { ComfortNoise } from '../../../src/audio/comfort-noise.ts';
import { PacketLossConcealer } from '../../../src/audio/plc.ts';
import { rmsDbfs } from '../../support/levels.ts';
import { joined, mixed, noise, speech } from '../../support/speech-signal.ts';

const RATE_HZ = 8_000;
const FRAME = 160;

function learned(sound: Int16Array): ComfortNoise {
  const comfort = new ComfortNoise(RATE_HZ);
  for (let end = 2 * FRAME; end <= sound.length; end += 16 * FRAME) comfort.learn(sound, end);
  return comfort;
}

function made(comfort: ComfortNoise, samples: number): Int16Array {
  return Int16Array.from({ length: samples }, () => comfort.next());
}

/** Noise in which a sample is like the one before: most of its power is at low frequencies. */
function rumble(ms: number): Int16Array {
  let last = 0;
  return noise(ms, RATE_HZ, -30).map((sample) => {
    last = 0.9 * last + 0.3 * sample;
    return last;
  });
}

/** Correlation of samples with their successors. */
function smoothness(samples: Int16Array): number {
  let product = 0;
  let energy = 1;
  for (let i = 1; i < samples.length; i++) {
    product += samples[i]! * samples[i - 1]!;
    energy += samples[i]! ** 2;
  }
  return product / energy;
}

describe('ComfortNoise', () => {
  it.each([-60, -45, -30])('has the level of a background of %i dBFS, under speech as well', (dbfs) => {
    const voice = speech(
      'We charge six pounds fifty for each box, and we take back whatever you do not use.',
      RATE_HZ,
    );
    const sound = joined(mixed(voice, noise(10_000, RATE_HZ, dbfs)), noise(2_000, RATE_HZ, dbfs, 2));
    const comfort = learned(sound);
    expect(comfort.isKnown).toBe(true);
    expect(Math.abs(rmsDbfs(made(comfort, RATE_HZ)) - dbfs)).toBeLessThan(2.5);
  });

  it('has the spectrum of the background', () => {
    const white = smoothness(made(learned(noise(8_000, RATE_HZ, -30)), RATE_HZ));
    const low = smoothness(made(learned(rumble(8_000)), RATE_HZ));
    expect(Math.abs(white)).toBeLessThan(0.15);
    expect(low).toBeGreaterThan(0.75);
  });

  it('takes neither a loud sound nor the first second for a background', () => {
    expect(learned(noise(8_000, RATE_HZ, -20)).isKnown).toBe(false);
    expect(learned(noise(700, RATE_HZ, -40)).isKnown).toBe(false);
  });

  it('does not repeat a click of the background', () => {
    const sound = noise(8_000, RATE_HZ, -40);
    // Within the last 40 ms of every look but the first few, the quietest of which would be taken otherwise.
    for (let end = 2 * FRAME; end <= sound.length; end += 16 * FRAME) {
      if (end < sound.length / 2) continue;
      for (let i = end - 2 * FRAME; i < end; i++) sound[i] = sound[i]! >> 1;
      sound[end - FRAME] = 4_000;
    }
    const comfort = learned(sound);
    expect(comfort.isKnown).toBe(true);
    expect(Math.max(...made(comfort, RATE_HZ))).toBeLessThan(2_000);
  });
});

describe('concealment with a background', () => {
  it('fades into it, and into the sound that returns, without a jump of the level', () => {
    const plc = new PacketLossConcealer(RATE_HZ);
    const sound = noise(12_000, RATE_HZ, -40);
    const heard: Int16Array[] = [];
    for (let i = 0; i * FRAME < sound.length; i++) {
      const frame = sound.slice(i * FRAME, (i + 1) * FRAME);
      if (i >= 500 && i < 520) plc.conceal(frame, 0, FRAME);
      else plc.heard(frame, 0, FRAME);
      heard.push(frame);
    }
    for (let i = 498; i < 524; i++) expect(Math.abs(rmsDbfs(heard[i]!) + 40)).toBeLessThan(3);
  });

  it('has faded out when the stream counts as stopped', () => {
    const plc = new PacketLossConcealer(RATE_HZ);
    const sound = noise(8_000, RATE_HZ, -40);
    for (let at = 0; at < sound.length; at += FRAME) plc.heard(sound.slice(at, at + FRAME), 0, FRAME);
    const frames = Array.from({ length: 51 }, () => {
      const frame = new Int16Array(FRAME);
      plc.conceal(frame, 0, FRAME);
      return rmsDbfs(frame);
    });
    expect(frames[25]).toBeGreaterThan(-44);
    expect(frames[45]).toBeLessThan(frames[35]! - 3);
    expect(frames[50]).toBe(-100);
  });
});
