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

/** Both kinds at the same time, each with its own gateway, one rule after the other. */
describe.concurrent.each(['own', 'shared'] as const)('%s bot', (bot) => {
  describe('rules', { concurrent: false }, () => describeRules('Discord', CALL_RULES, underTest(bot)));
});
