import { afterAll, beforeAll, describe } from 'vitest';
import { CALL_RULES } from './call-suite.ts';
import { DiscordCallsUnderTest, type DiscordTestOptions } from './calls/discord-calls-under-test.ts';
import { describeRules } from './rule.ts';

function underTest(bot: DiscordTestOptions['bot']): () => DiscordCallsUnderTest {
  let calls: DiscordCallsUnderTest;
  beforeAll(async () => {
    calls = await DiscordCallsUnderTest.start({ bot, patienceMs: 30_000 });
  });
  afterAll(() => calls?.stop());
  return () => calls;
}

describe('own bot', () => describeRules('Discord', CALL_RULES, underTest('own')));

describe('shared bot', () => describeRules('Discord', CALL_RULES, underTest('shared')));
