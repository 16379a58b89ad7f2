import type { Clock } from '../../base/time.ts';
import { type HasWindow, hasWindow } from '../../connectors/contract/messenger.ts';
import type { MessagePlatform } from '../../store/messages/message-tables.ts';
import type { SendingDeps } from '../outbox/stored-message.ts';

/** Counted events of queued messages. */
export type QueueEvent = 'queued' | 'template_sent' | 'template_failed' | 'flushed' | 'dropped';

/** Dependencies for queued messages. Built once by the composition root. */
export interface QueueDomain extends SendingDeps {
  readonly clock: Clock;
  /** Wakes the requests that wait for news of an account. */
  readonly wakeups: { wake(accountId: string): void };
  readonly count: (platform: MessagePlatform, event: QueueEvent) => void;
  /** Called when background work fails. */
  readonly onFailure: (error: unknown) => void;
}

/** Null: the platform has no service window. */
export function windowedMessenger(
  { messengers }: Pick<QueueDomain, 'messengers'>,
  platform: MessagePlatform,
): HasWindow | null {
  const messenger = messengers.get(platform);
  return messenger && hasWindow(messenger) ? messenger : null;
}
