import type { Clock } from '../../base/time.ts';
import { type HasWindow, hasWindow } from '../../connectors/contract/messenger.ts';
import type { MessagePlatform } from '../../store/messages/message-tables.ts';
import type { SendingDeps } from '../outbox/stored-message.ts';

/** What is counted of messages that wait. */
export type QueueEvent = 'queued' | 'template_sent' | 'template_failed' | 'flushed' | 'dropped';

/** What the verbs about messages that wait work with; put together once by the composition root. */
export interface QueueDomain extends SendingDeps {
  readonly clock: Clock;
  /** Tells whoever waits for news of an account. */
  readonly wakeups: { wake(accountId: string): void };
  readonly count: (platform: MessagePlatform, event: QueueEvent) => void;
  /** Hears of failures in what nobody waits for. */
  readonly onFailure: (error: unknown) => void;
}

/** Null: one may always write to people on this platform. */
export function windowedMessenger(
  { messengers }: Pick<QueueDomain, 'messengers'>,
  platform: MessagePlatform,
): HasWindow | null {
  const messenger = messengers.get(platform);
  return messenger && hasWindow(messenger) ? messenger : null;
}
