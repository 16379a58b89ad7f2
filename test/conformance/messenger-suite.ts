import { CHANNEL_RULES } from './messenger/channel-rules.ts';
import { CONTEXT_RULES } from './messenger/context-rules.ts';
import { CRASH_RULES } from './messenger/crash-rules.ts';
import { FORMATTING_RULES } from './messenger/formatting-rules.ts';
import type { MessengerRule } from './messenger/messenger-under-test.ts';
import { OPTIONAL_RULES } from './messenger/optional-rules.ts';
import { PAYLOAD_RULES } from './messenger/payload-rules.ts';
import { RECEIVING_RULES } from './messenger/receiving-rules.ts';
import { SENDING_RULES } from './messenger/sending-rules.ts';
import { WEBHOOK_RULES } from './messenger/webhook-rules.ts';

/** What every messenger does, whatever its platform. */
export const MESSENGER_RULES: readonly MessengerRule[] = [
  ...RECEIVING_RULES,
  ...SENDING_RULES,
  ...FORMATTING_RULES,
  ...OPTIONAL_RULES,
  ...CONTEXT_RULES,
  ...PAYLOAD_RULES,
  ...CHANNEL_RULES,
  ...WEBHOOK_RULES,
  ...CRASH_RULES,
];
