import { afterAll, beforeAll } from 'vitest';
import { CALL_RULES } from './call-suite.ts';
import { LoopbackCallsUnderTest } from './calls/loopback-calls-under-test.ts';
import { describeRules } from './rule.ts';

let calls: LoopbackCallsUnderTest;

beforeAll(async () => {
  calls = await LoopbackCallsUnderTest.start({ media: 'pcm', patienceMs: 30_000 });
});
afterAll(() => calls?.stop());

describeRules('Loopback meetings', CALL_RULES, () => calls);
