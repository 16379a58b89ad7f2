import { afterAll, beforeAll, describe } from 'vitest';
import { requirePeer } from '../support/require-peer.ts';
import { CALL_RULES } from './call-suite.ts';
import { TalkCallsUnderTest } from './calls/nctalk-calls-under-test.ts';
import { describeRules } from './rule.ts';

describe.skipIf(requirePeer('janus', 'nextcloud-spreed-signaling-server'))('Nextcloud Talk', () => {
  let calls: TalkCallsUnderTest;
  beforeAll(async () => {
    calls = await TalkCallsUnderTest.start(30_000);
  });
  afterAll(async () => await calls?.stop());
  describeRules('calls', CALL_RULES, () => calls);
});
