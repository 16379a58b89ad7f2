import { waitFor } from '../support/wait-for.ts';
import { CALL_RULES } from './call-suite.ts';
import type { CallsUnderTest } from './calls/calls-under-test.ts';
import { LoopbackCallsUnderTest } from './calls/loopback-calls-under-test.ts';
import { SipUnderTest } from './calls/sip-under-test.ts';
import { CALL_VIOLATIONS } from './violations/call-violations.ts';
import { noticesViolations } from './violations/notices-violations.ts';

noticesViolations<CallsUnderTest>(CALL_RULES, CALL_VIOLATIONS, {
  start: (options) =>
    Promise.all([SipUnderTest.start(options), LoopbackCallsUnderTest.start({ ...options, media: 'pcm' })]),
  recover: async (calls) => {
    calls.hangUpAll();
    await endCalls(calls);
  },
});

/** A violated rule may leave calls behind. */
async function endCalls({ account, otherAccount }: CallsUnderTest): Promise<void> {
  for (const { api } of [account, otherAccount]) {
    const live = async () => (await api.get('/api/calls')).body.calls;
    for (const { call_id } of await live()) await api.delete(`/api/call/${call_id}`);
    await waitFor('no call to be left', async () => (await live()).length === 0);
  }
}
