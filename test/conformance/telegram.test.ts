import { afterAll, beforeAll, describe } from 'vitest';
import { CRASH_RULES } from './messenger/crash-rules.ts';
import { RECEIVING_RULES } from './messenger/receiving-rules.ts';
import { type TelegramOptions, TelegramUnderTest } from './messenger/telegram-under-test.ts';
import { MESSENGER_RULES } from './messenger-suite.ts';
import { describeRules } from './rule.ts';

function underTest(updates: TelegramOptions['updates']): () => TelegramUnderTest {
  let telegram: TelegramUnderTest;
  beforeAll(async () => {
    telegram = await TelegramUnderTest.start({ updates, patienceMs: 30_000 });
  });
  afterAll(() => telegram?.stop());
  return () => telegram;
}

describe('by webhook', () => describeRules('Telegram', MESSENGER_RULES, underTest('webhook')));

describe('by polling', () =>
  describeRules('Telegram', [...RECEIVING_RULES, ...CRASH_RULES], underTest('polling')));
