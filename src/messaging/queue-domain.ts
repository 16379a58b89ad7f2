import type { Clock } from '../base/time.ts';
import {
  type HasWindow,
  hasWindow,
  type Messenger,
  type SendOutcome,
} from '../connectors/contract/messenger.ts';
import type { Conversation } from '../store/conversations.ts';
import type { Message } from '../store/messages.ts';
import type { Db, MessagePlatform } from '../store/tables.ts';

/** How sending ended once and for all. */
export type FinalOutcome = Extract<SendOutcome, { readonly kind: 'sent' | 'refused' | 'unknown' }>;

/** What is counted of messages that wait. */
export type QueueEvent = 'queued' | 'template_sent' | 'template_failed' | 'flushed' | 'dropped';

/** What the verbs about messages that wait work with; put together once by the composition root. */
export interface QueueDomain {
  readonly db: Db;
  readonly clock: Clock;
  readonly messengers: ReadonlyMap<MessagePlatform, Messenger>;
  /** Sends a stored message once; its status is left alone. */
  readonly sendStored: (messageId: string, signal: AbortSignal) => Promise<SendOutcome>;
  /** Writes what became of a message that was being sent. */
  readonly record: (message: Message, conversation: Conversation, outcome: FinalOutcome) => Promise<void>;
  /** Puts the `dm_chat` of a stored message on the feed of whoever it concerns. */
  readonly announceMessage: (trx: Db, conversation: Conversation, message: Message) => Promise<void>;
  /** Puts any other event on the feed of whoever the conversation concerns. */
  readonly announce: (
    trx: Db,
    conversation: Conversation,
    type: string,
    payload: Readonly<Record<string, unknown>>,
  ) => Promise<void>;
  /** Wakes whoever waits for something new in an account; after the commit. */
  readonly wake: (accountId: string) => void;
  readonly count: (platform: MessagePlatform, event: QueueEvent) => void;
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
