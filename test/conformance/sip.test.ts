import { afterAll, beforeAll } from 'vitest';
import { CALL_RULES } from './call-suite.ts';
import { SipUnderTest } from './calls/sip-under-test.ts';
import { describeRules } from './rule.ts';

let sip: SipUnderTest;

beforeAll(async () => {
  sip = await SipUnderTest.start({ patienceMs: 30_000 });
});
afterAll(() => sip?.stop());

describeRules('SIP', CALL_RULES, () => sip, true);
