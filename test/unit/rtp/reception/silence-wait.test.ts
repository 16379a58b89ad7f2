import { expect, it } from 'vitest';
import { SilenceWait } from '../../../../src/rtp/reception/silence-wait.ts';
import { tone } from '../../../support/tone.ts';

const VOICE = tone(400, 8_000, 160, { amplitude: 2_000 });
const NOISE = tone(50, 8_000, 160, { amplitude: 100 });

function ticks(wait: SilenceWait, count: number, frame: Int16Array | null): void {
  for (let i = 0; i < count; i++) wait.tick(frame);
}

/** Starts a wait; the function tells whether it is over. */
function started(wait: SilenceWait, mostMs = 10_000): () => Promise<boolean> {
  let isOver = false;
  void wait.start(mostMs).then(() => {
    isOver = true;
  });
  return async () => {
    await Promise.resolve();
    return isOver;
  };
}

it('ends a second after a voice, whatever is silent', async () => {
  const wait = new SilenceWait();
  const isOver = started(wait);
  ticks(wait, 100, null);
  ticks(wait, 50, VOICE);
  // Between two sentences.
  ticks(wait, 49, NOISE);
  ticks(wait, 1, VOICE);
  ticks(wait, 25, null);
  ticks(wait, 24, NOISE);
  expect(await isOver()).toBe(false);
  ticks(wait, 1, null);
  expect(await isOver()).toBe(true);
});

it.each([
  ['nobody speaks', null],
  ['somebody speaks all the time', VOICE],
])('ends at its deadline when %s', async (_, frame) => {
  const wait = new SilenceWait();
  const isOver = started(wait, 2_000);
  ticks(wait, 99, frame);
  expect(await isOver()).toBe(false);
  ticks(wait, 1, frame);
  expect(await isOver()).toBe(true);
});

it('ends with the call, and when another begins', async () => {
  const wait = new SilenceWait();
  const first = started(wait);
  const second = started(wait);
  expect([await first(), await second()]).toEqual([true, false]);
  wait.end();
  expect(await second()).toBe(true);
  ticks(wait, 1, VOICE);
});
