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

describe('own bot', () => describeRules('Discord', MESSENGER_RULES, underTest('own')));

describe('shared bot', () => describeRules('Discord', MESSENGER_RULES, underTest('shared')));
