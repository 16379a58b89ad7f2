import { describe, expect, it } from 'vitest';
import { ConcealmentFade } from '../../../src/audio/concealment-fade.ts';
import { rmsDbfs } from '../../support/levels.ts';
import { noise } from '../../support/speech-signal.ts';

const RATE_HZ = 48_000;
const FRAME = 960;
const LOUD = 20_000;

/** A fade after 4 s of a background, and the decoder that goes on with a loud sound. */
function lost(backgroundDbfs: number, frames: number) {
  const fade = new ConcealmentFade(RATE_HZ);
  const background = noise(4_000, RATE_HZ, backgroundDbfs);
  for (let at = 0; at < background.length; at += FRAME) fade.heard(background, at, FRAME);
  const heard = Array.from({ length: frames }, () => {
    const frame = new Int16Array(FRAME).fill(LOUD);
    fade.conceal(frame, 0, FRAME);
    return frame;
  });
  return { fade, heard };
}

describe('the fade of concealment', () => {
  it('leaves 60 ms as they are, and has become noise of the level of the background after 120 ms', () => {
    const { heard } = lost(-45, 20);
    for (const frame of heard.slice(0, 3)) expect(frame.every((sample) => sample === LOUD)).toBe(true);
    for (const frame of heard.slice(6)) expect(Math.abs(rmsDbfs(frame) + 45)).toBeLessThan(4);
  });

  it('is silent after a second', () => {
    const { fade, heard } = lost(-45, 51);
    expect(fade.isFaded).toBe(true);
    expect(heard[50]!.every((sample) => sample === 0)).toBe(true);
  });

  it('lets sound that returns rise within 10 ms', () => {
    const { fade } = lost(-60, 10);
    const frame = new Int16Array(FRAME).fill(LOUD);
    fade.heard(frame, 0, FRAME);
    const steps = Array.from(frame.subarray(1), (sample, i) => Math.abs(sample - frame[i]!));
    expect(Math.abs(frame[0]!)).toBeLessThan(500);
    expect(Math.max(...steps)).toBeLessThan(500);
    expect(frame.subarray(FRAME / 2).every((sample) => sample === LOUD)).toBe(true);
  });

  it('leaves the first sound, and sound without a loss, as it is', () => {
    const fade = new ConcealmentFade(RATE_HZ);
    fade.rest();
    for (let i = 0; i < 60; i++) {
      const frame = new Int16Array(FRAME).fill(LOUD);
      fade.heard(frame, 0, FRAME);
      expect(frame.every((sample) => sample === LOUD)).toBe(true);
    }
  });
});
