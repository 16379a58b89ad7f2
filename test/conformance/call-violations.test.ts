import { afterAll, beforeAll, expect, it } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { CALL_RULES } from './call-suite.ts';
import type { CallRule, CallsUnderTest } from './calls/calls-under-test.ts';
import { LoopbackCallsUnderTest } from './calls/loopback-calls-under-test.ts';
import { SipUnderTest } from './calls/sip-under-test.ts';
import { Breakage } from './violations/breakage.ts';
import { CALL_VIOLATIONS } from './violations/call-violations.ts';

const PATIENCE_MS = 10_000;
/** A violated rule often waits for what never happens. */
const PATIENCE_WITH_VIOLATION_MS = 1_000;

/** Rules that hold without a violation. */
const held = new Set<CallRule>();
let breakage: Breakage;
let platforms: CallsUnderTest[];

beforeAll(async () => {
  breakage = await Breakage.prepare();
  const options = { gateway: breakage.gateway, patienceMs: PATIENCE_MS };
  platforms = await Promise.all([
    SipUnderTest.start(options),
    LoopbackCallsUnderTest.start({ ...options, media: 'pcm' }),
  ]);
});
afterAll(async () => {
  await Promise.all((platforms ?? []).map((platform) => platform.stop()));
  breakage?.close();
});

it('has a violation for each rule', () => {
  const violated = new Set(CALL_VIOLATIONS.map(({ rule }) => rule));
  expect([...violated].sort()).toEqual(CALL_RULES.map(({ title }) => title).sort());
});

it.each(CALL_VIOLATIONS)('notices a connector that $does', async ({ rule: title, does }) => {
  const rule = CALL_RULES.find((each) => each.title === title)!;
  const subject = platforms.find((platform) => rule.applies?.(platform) !== false)!;
  if (!held.has(rule)) await rule.check(subject);
  held.add(rule);
  breakage.violate(does);
  subject.patienceMs = PATIENCE_WITH_VIOLATION_MS;
  try {
    await expect(rule.check(subject)).rejects.toThrow();
  } finally {
    subject.patienceMs = PATIENCE_MS;
    breakage.mend();
    subject.hangUpAll();
    await endCalls(subject);
  }
});

/** A violated rule may leave calls behind. */
async function endCalls({ account, otherAccount }: CallsUnderTest): Promise<void> {
  for (const { api } of [account, otherAccount]) {
    const live = async () => (await api.get('/api/calls')).body.calls;
    for (const { call_id } of await live()) await api.delete(`/api/call/${call_id}`);
    await waitFor('no call to be left', async () => (await live()).length === 0);
  }
}
