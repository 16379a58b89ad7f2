import { afterAll, beforeAll, describe } from 'vitest';
import { BundledGateway } from '../support/bundled-gateway.ts';
import { CALL_RULES } from './call-suite.ts';
import { LoopbackCallsUnderTest } from './calls/loopback-calls-under-test.ts';
import { PLACING_RULES } from './calls/placing-rules.ts';
import { SEPARATION_RULES } from './calls/separation-rules.ts';
import { describeRules } from './rule.ts';

let bundled: BundledGateway;

beforeAll(async () => {
  bundled = await BundledGateway.prepare('test/loopback/main.ts');
});
afterAll(() => bundled?.remove());

describe.each([
  ['pcm', CALL_RULES],
  // The rules about media.
  ['packets', [...PLACING_RULES, ...SEPARATION_RULES]],
] as const)('by %s', (media, rules) => {
  let calls: LoopbackCallsUnderTest;
  beforeAll(async () => {
    calls = await LoopbackCallsUnderTest.start({ media, patienceMs: 30_000, gateway: bundled.options });
  });
  afterAll(() => calls?.stop());
  describeRules('Loopback', rules, () => calls);
});
