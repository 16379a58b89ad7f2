import { afterAll, beforeAll } from 'vitest';
import { WhatsAppUnderTest } from './messenger/whatsapp-under-test.ts';
import { MESSENGER_RULES } from './messenger-suite.ts';
import { describeRules } from './rule.ts';

let whatsApp: WhatsAppUnderTest;

beforeAll(async () => {
  whatsApp = await WhatsAppUnderTest.start({ patienceMs: 30_000 });
});
afterAll(() => whatsApp?.stop());

describeRules('WhatsApp', MESSENGER_RULES, () => whatsApp);
