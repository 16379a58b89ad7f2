import { afterAll, beforeAll, describe } from 'vitest';
import { type DiscordOptions, DiscordUnderTest } from './messenger/discord-under-test.ts';
import { MESSENGER_RULES } from './messenger-suite.ts';
import { describeRules } from './rule.ts';

function underTest(bot: DiscordOptions['bot']): () => DiscordUnderTest {
  let discord: DiscordUnderTest;
  beforeAll(async () => {
    discord = await DiscordUnderTest.start({ bot, patienceMs: 30_000 });
  });
  afterAll(() => discord?.stop());
  return () => discord;
}

/** Both kinds at the same time, each with its own gateway, one rule after the other. */
describe.concurrent.each(['own', 'shared'] as const)('%s bot', (bot) => {
  describe('rules', { concurrent: false }, () => describeRules('Discord', MESSENGER_RULES, underTest(bot)));
});
