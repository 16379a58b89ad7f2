import { afterAll, beforeAll } from 'vitest';
import { BridgedUnderTest } from './messenger/bridged-under-test.ts';
import { MESSENGER_RULES } from './messenger-suite.ts';
import { describeRules } from './rule.ts';

let bridged: BridgedUnderTest;

beforeAll(async () => {
  bridged = await BridgedUnderTest.start({ patienceMs: 30_000 });
});
afterAll(() => bridged?.stop());

describeRules('A platform of the bridge', MESSENGER_RULES, () => bridged);
