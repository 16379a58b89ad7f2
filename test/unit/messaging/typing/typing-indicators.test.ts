import { expect, it } from 'vitest';
import { directAddress } from '../../../../src/base/address.ts';
import {
  MOST_SHOWN,
  TYPING_MS,
  TypingIndicators,
} from '../../../../src/messaging/typing/typing-indicators.ts';
import { FakeMessenger } from '../../../support/fake-messenger.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { Outbound } from '../outbound-harness.ts';

async function typing() {
  const outbound = await Outbound.open();
  await outbound.bot();
  const conversation = await outbound.conversation();
  const { clock, messenger, domain } = outbound;
  const shown = messenger.typingTo;
  /** Lets time pass, each repeat done before the next. */
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 1_000) {
      clock.advance(Math.min(1_000, ms - passed));
      await new Promise((resolve) => setImmediate(resolve));
      await outbound.store.db.selectFrom('facts').select('name').execute();
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { outbound, conversation, indicators: domain.typing, shown, pass };
}

it('shows typing at once and repeats it until it is stopped', async () => {
  const { indicators, conversation, shown, pass } = await typing();
  indicators.start(conversation);
  await waitFor('the first', () => shown.length === 1);
  expect(shown).toEqual([directAddress({ kind: 'bot_token', id: 'bot_1' }, '42')]);
  await pass(12_000);
  expect(shown).toHaveLength(4);
  indicators.stop(conversation.id);
  await pass(60_000);
  expect([shown.length, indicators.shown]).toEqual([4, 0]);
});

it('stops by itself after 65 s, or 65 s after the last request', async () => {
  const { indicators, conversation, shown, pass } = await typing();
  indicators.start(conversation);
  await pass(TYPING_MS);
  const times = Math.ceil(TYPING_MS / 4_000);
  expect(shown).toHaveLength(times);
  await pass(20_000);
  expect([shown.length, indicators.shown]).toEqual([times, 0]);

  indicators.start(conversation);
  await pass(55_000);
  indicators.start(conversation);
  await pass(64_000);
  expect(indicators.shown).toBe(1);
  await pass(10_000);
  expect(indicators.shown).toBe(0);
});

it('shows nothing where the platform has no typing indicator, or where the bot is gone', async () => {
  const { outbound, conversation, shown, pass } = await typing();
  const elsewhere = { ...conversation, id: 'cnv_x', platform: 'slack' } as const;
  outbound.domain.typing.start(elsewhere);
  expect(outbound.domain.typing.shown).toBe(0);
  const goneConnection = { ...conversation, id: 'cnv_y', memberType: 'connection' } as const;
  outbound.domain.typing.start(goneConnection);
  await pass(4_000);
  expect(shown).toEqual([]);
});

it('shows half of all for one account at a time, leaves room for another, and survives a failing platform', async () => {
  const { outbound, conversation } = await typing();
  const skipped: unknown[] = [];
  const messenger = new FakeMessenger();
  messenger.showTyping = () => Promise.reject(new Error('down'));
  const { store, clock } = outbound;
  const indicators = new TypingIndicators({
    store,
    clock,
    messengers: new Map([[messenger.platform, messenger]]),
    onSkipped: () => skipped.push(1),
  });
  indicators.start(conversation);
  await waitFor('the failure', () => skipped.length === 1);
  for (let i = 0; i < MOST_SHOWN / 2 + 5; i++) indicators.start({ ...conversation, id: `cnv_${i}` });
  expect(indicators.shown).toBe(MOST_SHOWN / 2);
  expect(skipped).toHaveLength(7);
  indicators.start({ ...conversation, id: 'cnv_other', accountId: 'acc_other' });
  expect(indicators.shown).toBe(MOST_SHOWN / 2 + 1);
  indicators.stop('cnv_0');
  indicators.start({ ...conversation, id: 'cnv_next' });
  expect(indicators.shown).toBe(MOST_SHOWN / 2 + 1);
  indicators.close();
  expect(indicators.shown).toBe(0);
});

it('asks the platform for another account while one has requests that are never answered', async () => {
  const { outbound, conversation } = await typing();
  const messenger = new FakeMessenger();
  let asked = 0;
  messenger.showTyping = async () => {
    asked += 1;
    await new Promise(() => {});
  };
  const { store, clock } = outbound;
  let skipped = 0;
  const indicators = new TypingIndicators({
    store,
    clock,
    messengers: new Map([[messenger.platform, messenger]]),
    onSkipped: () => void skipped++,
  });
  for (let i = 0; i < 120; i++) indicators.start({ ...conversation, id: `cnv_${i}` });
  await waitFor('the requests of one account', () => asked + skipped === 120);
  expect(asked).toBe(50);
  indicators.start({ ...conversation, id: 'cnv_other', accountId: 'acc_other' });
  await waitFor('that of another', () => asked + skipped === 121);
  expect(asked).toBe(51);
  indicators.close();
});

it('skips none of many that begin together, and spreads them over turns of the event loop', async () => {
  const { outbound, conversation } = await typing();
  const messenger = new FakeMessenger();
  let asked = 0;
  let most = 0;
  let inTurn = 0;
  messenger.showTyping = async () => {
    asked += 1;
    inTurn += 1;
    most = Math.max(most, inTurn);
    setImmediate(() => {
      inTurn = 0;
    });
  };
  const { store, clock } = outbound;
  const onSkipped = (): void => expect.unreachable();
  const messengers = new Map([[messenger.platform, messenger]]);
  const indicators = new TypingIndicators({ store, clock, messengers, onSkipped });
  for (let i = 0; i < 200; i++) indicators.start({ ...conversation, id: `cnv_${i}` });
  await waitFor('all indicators', () => asked === 200);
  expect(most).toBeLessThanOrEqual(2);
  indicators.close();
});
