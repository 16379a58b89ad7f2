import { afterAll, beforeAll, describe } from 'vitest';
import { SlackUnderTest } from './messenger/slack-under-test.ts';
import { MESSENGER_RULES } from './messenger-suite.ts';
import { describeRules } from './rule.ts';

const OPTIONS = { patienceMs: 30_000 };

describe.each([
  ['an own bot', () => SlackUnderTest.start(OPTIONS)],
  ['the shared app', () => SlackUnderTest.startShared(OPTIONS)],
] as const)('%s', (_what, start) => {
  let slack: SlackUnderTest;

  beforeAll(async () => {
    slack = await start();
  });
  afterAll(() => slack?.stop());

  describeRules('Slack', MESSENGER_RULES, () => slack);
});
