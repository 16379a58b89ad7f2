import { afterAll, beforeAll, expect, it } from 'vitest';
import { LoopbackMessengerUnderTest } from './messenger/loopback-messenger-under-test.ts';
import type { MessengerRule, MessengerUnderTest } from './messenger/messenger-under-test.ts';
import { TelegramUnderTest, telegramConnector } from './messenger/telegram-under-test.ts';
import { WhatsAppUnderTest } from './messenger/whatsapp-under-test.ts';
import { MESSENGER_RULES } from './messenger-suite.ts';
import { QUICK_TYPING_MS } from './violations/breakable.ts';
import { Breakage } from './violations/breakage.ts';
import { MESSENGER_VIOLATIONS } from './violations/messenger-violations.ts';
import { replacing } from './violations/replacing.ts';

const PATIENCE_MS = 10_000;
/** A violated rule often waits for what never happens. */
const PATIENCE_WITH_VIOLATION_MS = 1_000;

/** Rules that hold without a violation. */
const held = new Set<MessengerRule>();
let breakage: Breakage;
let messengers: MessengerUnderTest[];

beforeAll(async () => {
  breakage = await Breakage.prepare();
  const options = { gateway: breakage.gateway, patienceMs: PATIENCE_MS };
  messengers = await Promise.all([
    TelegramUnderTest.start({ ...options, updates: 'webhook', connector: withQuickTyping() }),
    WhatsAppUnderTest.start(options),
    LoopbackMessengerUnderTest.start(options),
  ]);
});
afterAll(async () => {
  await Promise.all((messengers ?? []).map((messenger) => messenger.stop()));
  breakage?.close();
});

function withQuickTyping() {
  const connector = telegramConnector();
  const typing = replacing(connector.typing, { typingRepeatMs: QUICK_TYPING_MS });
  const messenger = replacing(connector, { typing });
  return replacing(connector, { provides: { ...connector.provides, messenger } });
}

it('has a violation for each rule', () => {
  const violated = new Set(MESSENGER_VIOLATIONS.map(({ rule }) => rule));
  expect([...violated].sort()).toEqual(MESSENGER_RULES.map(({ title }) => title).sort());
});

it.each(MESSENGER_VIOLATIONS)(
  'notices a connector that $does',
  async ({ rule: title, does, outlastsItself }) => {
    const rule = MESSENGER_RULES.find((each) => each.title === title)!;
    const subject = messengers.find((messenger) => rule.applies?.(messenger) !== false)!;
    if (!held.has(rule)) await rule.check(subject);
    held.add(rule);
    breakage.violate(does);
    subject.patienceMs = PATIENCE_WITH_VIOLATION_MS;
    try {
      await expect(rule.check(subject)).rejects.toThrow();
    } finally {
      subject.patienceMs = PATIENCE_MS;
      breakage.mend();
      if (subject.login.isDead) subject.login.revive();
      if (outlastsItself || !subject.gateway.running) await subject.gateway.restart();
    }
  },
);
