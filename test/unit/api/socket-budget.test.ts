import { expect, it } from 'vitest';
import {
  BINARY,
  FAULT,
  PING,
  type Price,
  type SocketBudget,
  SocketBudgets,
  TEXT,
  UNASKED_PONG,
} from '../../../src/api/http/socket/socket-budget.ts';
import { ReadingTime } from '../../../src/base/reading-time.ts';
import { ManualClock } from '../../support/manual-clock.ts';

/** That of a call. */
const PACE = { most: 1_800, perSecond: 900 };
const FRAME_BYTES = 640;
/** A frame of audio as base64 in JSON. */
const JSON_FRAME_BYTES = 900;

function world() {
  const clock = new ManualClock();
  const spent: string[] = [];
  const time = new ReadingTime(clock);
  const budgets = new SocketBudgets(clock, time, (of) => spent.push(of));
  return { clock, time, spent, open: (accountId = 'acc_1') => budgets.open(accountId, PACE) };
}

/** How many of `most` are paid for. */
function paid(budget: SocketBudget, price: Price, bytes = 0, most = 1e6): number {
  let count = 0;
  while (count < most && budget.pay(price, bytes)) count += 1;
  return count;
}

it('pays for ten minutes of audio in frames of 20 ms, in one go', () => {
  const { open } = world();
  expect(paid(open(), BINARY, FRAME_BYTES, 30_000)).toBe(30_000);
});

it('ends what would hold the main thread up for more than about 20 ms', () => {
  const prices = [BINARY, TEXT, PING, UNASKED_PONG, FAULT];
  const counts = prices.map((price) => paid(world().open(), price));
  expect(counts).toEqual([40_100, 2_864, 10_025, 1_002, 668]);
});

it('ends what holds up others after about 2 ms of a turn of the event loop, unless it is audio', () => {
  const { time, open } = world();
  time.of('acc_2').charge(1);
  paid(open(), PING, 0, 100);
  const counts = [TEXT, FAULT].map((price) => paid(open(), price));
  expect(counts[0]).toBeLessThan(450);
  expect(counts[1]).toBeLessThan(10);
  expect(paid(open(), BINARY, FRAME_BYTES, 20_000)).toBe(20_000);
  expect(paid(open('acc_2'), TEXT, 0, 1_000)).toBe(1_000);
});

it('counts bytes: 80 MB of audio, 10 MB of text', () => {
  const { open } = world();
  expect(paid(open('acc_1'), BINARY, 1_048_576)).toBe(78);
  expect(paid(open('acc_2'), TEXT, 1_048_576)).toBe(9);
});

it('carries a thousand live calls of an account for a minute, and what piles up in a stall of 2 s', () => {
  const { clock, open } = world();
  const calls = Array.from({ length: 1_000 }, () => open());
  const hears = (ms: number): number => {
    clock.advance(ms);
    return calls.filter((call) => paid(call, BINARY, FRAME_BYTES, ms / 20) === ms / 20).length;
  };
  for (let second = 0; second < 60; second++) expect(hears(1_000)).toBe(1_000);
  expect(hears(2_000)).toBe(1_000);
});

it('carries 200 calls whose audio is JSON, with a stall of 2 s', () => {
  const { clock, open } = world();
  const calls = Array.from({ length: 200 }, () => open());
  for (const ms of [1_000, 1_000, 1_000, 2_000, 1_000]) {
    clock.advance(ms);
    for (const call of calls) expect(paid(call, TEXT, JSON_FRAME_BYTES, ms / 20)).toBe(ms / 20);
  }
});

it('a connection at its own pace is not affected by a greedy one of its account, nor is another account', () => {
  const { clock, open, spent } = world();
  const live = open();
  clock.advance(1_000);
  const greedy = open();
  paid(greedy, TEXT);
  expect(paid(live, BINARY, FRAME_BYTES, 100)).toBe(100);
  expect(paid(open('acc_2'), BINARY, 0, 30_000)).toBe(30_000);
  expect(spent).toEqual(['text']);
});

it('does not pay to reconnect', () => {
  const { open } = world();
  paid(open(), PING);
  const again = Array.from({ length: 100 }, () => paid(open(), PING));
  expect(new Set(again)).toEqual(new Set([25]));
});

it('earns again with time, for one connection and for its account', () => {
  const { clock, open } = world();
  const budget = open();
  paid(budget, BINARY);
  clock.advance(1_000);
  // Its own second, and what the account shares.
  const count = paid(budget, BINARY);
  expect(count).toBeGreaterThan(40_800);
  expect(count).toBeLessThanOrEqual(40_900);
});

it('tells pongs that were asked for from others', () => {
  const { open } = world();
  const budget = open();
  budget.pinged();
  expect(budget.priceOfPong().of).toBe('pong');
  expect(budget.priceOfPong().of).toBe('unasked_pong');
});
