import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { onBehalfOf } from '../../../../src/base/on-behalf.ts';
import { ReadingTime } from '../../../../src/base/reading-time.ts';
import { ConnectionTurns } from '../../../../src/store/database/connection-turns.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

let clock: ManualClock;
let time: ReadingTime;
let turns: ConnectionTurns;
/** Names of the queries, as they were answered. */
let answered: string[];

beforeEach(() => {
  clock = new ManualClock();
  time = new ReadingTime(clock);
  turns = new ConnectionTurns(clock, time);
  answered = [];
});

/** A query that takes so long. */
async function query(name: string, takesMs: number): Promise<void> {
  await turns.enter();
  clock.leap(takesMs);
  answered.push(name);
  turns.leave();
}

const ask = (accountId: string, name: string, takesMs: number) =>
  onBehalfOf(accountId, () => query(name, takesMs));

/** Lets everything run that does not need another turn of the event loop. */
async function settle(): Promise<void> {
  for (let n = 0; n < 50; n++) await Promise.resolve();
}

describe('the turns at the database', () => {
  it('follow each other for ten milliseconds, in order, and then let everything else run', async () => {
    const all = Array.from({ length: 8 }, (_, n) => ask('alone', `${n}`, 3));
    await settle();
    expect(answered).toEqual(['0', '1', '2', '3']);
    await Promise.all(all);
    expect(answered).toEqual(['0', '1', '2', '3', '4', '5', '6', '7']);
  });

  it('begin with the account that has used the thread least', async () => {
    time.of('quiet').charge(1);
    const greedy = Array.from({ length: 20 }, (_, n) => ask('greedy', `greedy ${n}`, 2));
    await settle();
    const before = answered.length;
    await ask('quiet', 'quiet', 2);
    expect(answered.indexOf('quiet')).toBeLessThanOrEqual(before + 1);
    await Promise.all(greedy);
    expect(answered).toHaveLength(21);
  });

  it('are short for the account that holds up others, and count for it', async () => {
    time.of('quiet').charge(1);
    const all = Array.from({ length: 3 }, (_, n) => ask('greedy', `${n}`, 2));
    await settle();
    expect(answered).toEqual(['0']);
    expect(time.of('greedy').recentMs).toBeCloseTo(2, 1);
    await nextTurn();
    await settle();
    expect(answered).toEqual(['0', '1']);
    await Promise.all(all);
  });

  it('of the gateway itself and of strangers count for nobody, and are not kept waiting', async () => {
    const greedy = Array.from({ length: 20 }, (_, n) => ask('greedy', `greedy ${n}`, 2));
    await query('own', 2);
    expect(answered.indexOf('own')).toBeLessThan(8);
    await Promise.all(greedy);
    expect(time.of('greedy').holdsUpOthers).toBe(false);
  });
});
