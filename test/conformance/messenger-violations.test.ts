import { LoopbackMessengerUnderTest } from './messenger/loopback-messenger-under-test.ts';
import type { MessengerUnderTest } from './messenger/messenger-under-test.ts';
import { declaredTelegram, TelegramUnderTest } from './messenger/telegram-under-test.ts';
import { WhatsAppUnderTest } from './messenger/whatsapp-under-test.ts';
import { MESSENGER_RULES } from './messenger-suite.ts';
import { QUICK_TYPING_MS } from './violations/breakable.ts';
import { MESSENGER_VIOLATIONS } from './violations/messenger-violations.ts';
import { noticesViolations } from './violations/notices-violations.ts';
import { replacing } from './violations/replacing.ts';

noticesViolations<MessengerUnderTest>(MESSENGER_RULES, MESSENGER_VIOLATIONS, {
  start: (options) =>
    Promise.all([
      TelegramUnderTest.start({ ...options, updates: 'webhook', connector: withQuickTyping() }),
      WhatsAppUnderTest.start(options),
      LoopbackMessengerUnderTest.start(options),
    ]),
  recover: async ({ login, gateway }, { outlastsItself }) => {
    if (login.isDead) login.revive();
    if (outlastsItself || !gateway.running) await gateway.restart();
  },
});

function withQuickTyping() {
  const connector = declaredTelegram();
  const own = connector.provides.messenger!;
  const typing = replacing(own.typing!, { typingRepeatMs: QUICK_TYPING_MS });
  const messenger = replacing(own, { typing });
  return replacing(connector, { provides: { ...connector.provides, messenger } });
}
