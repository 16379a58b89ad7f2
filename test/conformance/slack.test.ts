import { afterAll, beforeAll } from 'vitest';
import { SlackUnderTest } from './messenger/slack-under-test.ts';
import { MESSENGER_RULES } from './messenger-suite.ts';
import { describeRules } from './rule.ts';

let slack: SlackUnderTest;

beforeAll(async () => {
  slack = await SlackUnderTest.start({ patienceMs: 30_000 });
});
afterAll(() => slack?.stop());

describeRules('Slack', MESSENGER_RULES, () => slack);
