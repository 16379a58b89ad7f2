import { expect, it } from 'vitest';
import type { LoginRef } from '../../../../src/base/address.ts';
import type { SendOutcome } from '../../../../src/connectors/contract/messenger.ts';
import { SendingTurns } from '../../../../src/messaging/outbox/sending-turns.ts';
import { FakeMessenger } from '../../../support/fake-messenger.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const SHARED: LoginRef = { kind: 'shared' };
const OWN: LoginRef = { kind: 'bot_token', id: 'bot_1' };
const SENT = { kind: 'sent', platformMessageIds: [] } as const;
const STAYS = new AbortController().signal;
const PER_SECOND = 10;

/** Everything that follows without waiting for anything else has happened. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A platform that answers at once, and notes whose messages it was given. */
class Platform {
  readonly clock = new ManualClock();
  readonly turns: SendingTurns;
  readonly taken: string[] = [];
  outcome: SendOutcome = SENT;

  constructor() {
    const messenger = Object.assign(new FakeMessenger(), { mostPerSecond: PER_SECOND });
    this.turns = new SendingTurns(this.clock, new Map([['telegram', messenger]]));
  }

  async sends(accountId: string, login = SHARED, signal = STAYS): Promise<SendOutcome | null> {
    const whose = { accountId, platform: 'telegram', login } as const;
    return await this.turns.during(whose, { withinMs: 25_000, signal }, async () => {
      this.taken.push(accountId);
      return this.outcome;
    });
  }

  async floods(accountId: string, count: number, login = SHARED): Promise<void> {
    for (let n = 0; n < count; n++) void this.sends(accountId, login);
    await settled();
  }

  /** Lets seconds pass, a tenth at a time. */
  async passes(seconds: number): Promise<void> {
    for (let tenth = 0; tenth < seconds * 10; tenth++) {
      this.clock.advance(100);
      await settled();
    }
  }

  countOf(accountId: string): number {
    return this.taken.filter((name) => name === accountId).length;
  }
}

it('gives one account half of what a login that all share may send, and the next one its message at once', async () => {
  const platform = new Platform();
  await platform.floods('greedy', 500);
  expect(platform.countOf('greedy')).toBe(PER_SECOND / 2);
  expect(await platform.sends('quiet')).toEqual(SENT);
  await platform.passes(10);
  expect(platform.countOf('greedy')).toBeLessThanOrEqual(11 * PER_SECOND);
  expect(platform.countOf('greedy')).toBeGreaterThanOrEqual(4 * PER_SECOND);
});

it('lets nobody exceed what the platform takes, however many send', async () => {
  const platform = new Platform();
  for (let n = 0; n < 40; n++) await platform.floods(`account ${n}`, 5);
  expect(platform.taken).toHaveLength(PER_SECOND);
  await platform.passes(3);
  expect(platform.taken.length).toBeLessThanOrEqual(4 * PER_SECOND);
  expect(new Set(platform.taken).size).toBeGreaterThanOrEqual(3 * PER_SECOND);
});

it('leaves an account less of the shared login while the platform tells it to wait', async () => {
  const platform = new Platform();
  platform.outcome = { kind: 'later', reason: 'Too Many Requests', afterMs: 30_000 };
  await platform.floods('greedy', 50);
  await platform.passes(20);
  expect(platform.countOf('greedy')).toBe(PER_SECOND / 2);
  platform.outcome = SENT;
  expect(await platform.sends('quiet')).toEqual(SENT);
});

it('paces no login of an account of its own', async () => {
  const platform = new Platform();
  await platform.floods('busy', 300, OWN);
  expect(platform.countOf('busy')).toBe(300);
});

it('lets a message go that is no longer to be sent, and one that waits for too long', async () => {
  const platform = new Platform();
  platform.outcome = { kind: 'later', reason: 'Too Many Requests', afterMs: 60_000 };
  await platform.floods('greedy', PER_SECOND);
  const leaving = new AbortController();
  const [left, late] = [platform.sends('greedy', SHARED, leaving.signal), platform.sends('greedy')];
  await settled();
  leaving.abort();
  expect(await left).toBeNull();
  platform.clock.advance(25_000);
  expect(await late).toBeNull();
});
