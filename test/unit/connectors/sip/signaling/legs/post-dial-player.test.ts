import { setImmediate as turn } from 'node:timers/promises';
import { beforeEach, expect, it } from 'vitest';
import { parsePostDial } from '../../../../../../src/base/post-dial.ts';
import type { Termination } from '../../../../../../src/base/termination.ts';
import { PostDialPlayer } from '../../../../../../src/connectors/sip/signaling/legs/post-dial-player.ts';
import { ManualClock } from '../../../../../support/manual-clock.ts';

const HUNG_UP: Termination = { result: 'completed', reason: 'remote hung up' };
const REFUSED: Termination = { result: 'failed', reason: 'the meeting refused the id or passcode' };

let clock: ManualClock;
let log: string[];
let flows: () => void;
let pressing: Promise<void>;
let flowing: Promise<void>;

beforeEach(() => {
  clock = new ManualClock();
  log = [];
  pressing = Promise.resolve();
  ({ promise: flowing, resolve: flows } = Promise.withResolvers<void>());
});

function note(what: string): void {
  log.push(`${what} at ${clock.monotonicMs()}`);
}

function player(digits: string): PostDialPlayer {
  const line = {
    flowing,
    press: async (keys: string) => {
      note(keys);
      await pressing;
    },
    silence: async (mostMs: number) => note(`silence within ${mostMs}`),
  };
  return new PostDialPlayer(parsePostDial(digits), line, clock);
}

/** Lets time pass, and everything happen that follows. */
async function pass(durationMs: number): Promise<void> {
  clock.advance(durationMs);
  await turn();
}

it('presses keys after the first packet, with pauses and waits, and is done a second later', async () => {
  void player(',,12#;3')
    .play()
    .then(() => note('done'));
  await pass(3_000);
  expect(log).toEqual([]);
  flows();
  await pass(0);
  await pass(3_999);
  expect(log).toEqual([]);
  await pass(1);
  expect(log).toEqual(['12# at 7000', 'silence within 10000 at 7000', '3 at 7000']);
  await pass(999);
  expect(log).toHaveLength(3);
  await pass(1);
  expect(log.at(-1)).toBe('done at 8000');
});

it('does not wait longer than 5 s for the first packet', async () => {
  void player('1').play();
  await pass(4_999);
  expect(log).toEqual([]);
  await pass(1);
  expect(log).toEqual(['1 at 5000']);
});

it('presses nothing more once it is stopped', async () => {
  const playing = player('1,2');
  const done = playing.play();
  flows();
  await pass(0);
  playing.stop();
  await done;
  expect(log).toEqual(['1 at 0']);
  expect(clock.restMs).toBe(Number.POSITIVE_INFINITY);
});

it('takes a hang-up for a refusal from the first key until 20 s after the last one', async () => {
  const playing = player(`,1${','.repeat(15)}2`);
  void playing.play();
  flows();
  await pass(0);
  expect(playing.hungUp(HUNG_UP)).toEqual({
    result: 'failed',
    reason: 'the far end hung up before a key was pressed',
  });
  await pass(2_000);
  expect(playing.hungUp(HUNG_UP)).toEqual(REFUSED);
  await pass(29_000);
  expect(playing.hungUp(HUNG_UP)).toEqual(REFUSED);
  await pass(1_000);
  expect(log).toEqual(['1 at 2000', '2 at 32000']);
  await pass(19_999);
  expect(playing.hungUp(HUNG_UP)).toEqual(REFUSED);
  await pass(1);
  expect(playing.hungUp(HUNG_UP)).toEqual(HUNG_UP);
});

it('fails when keys cannot be pressed', async () => {
  pressing = Promise.reject(new Error('on hold'));
  pressing.catch(() => {});
  flows();
  await expect(player('1').play()).rejects.toThrow('on hold');
});
