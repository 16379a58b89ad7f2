import { afterAll, beforeAll, describe } from 'vitest';
import { NextcloudUnderTest } from './messenger/nctalk-under-test.ts';
import { MESSENGER_RULES } from './messenger-suite.ts';
import { describeRules } from './rule.ts';

describe.each([
  ['by events of the addon', true],
  ['by polling', false],
] as const)('%s', (_how, hasEvents) => {
  let nextcloud: NextcloudUnderTest;

  beforeAll(async () => {
    nextcloud = await NextcloudUnderTest.start({ patienceMs: 30_000, hasEvents });
  });
  afterAll(() => nextcloud?.stop());

  describeRules('Nextcloud Talk', MESSENGER_RULES, () => nextcloud);
});
