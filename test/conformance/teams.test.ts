import { afterAll, beforeAll } from 'vitest';
import { TeamsUnderTest } from './messenger/teams-under-test.ts';
import { MESSENGER_RULES } from './messenger-suite.ts';
import { describeRules } from './rule.ts';

let teams: TeamsUnderTest;

beforeAll(async () => {
  teams = await TeamsUnderTest.start({ patienceMs: 30_000 });
});
afterAll(() => teams?.stop());

describeRules('Teams', MESSENGER_RULES, () => teams);
