import type { Platform } from '../../base/platform.ts';
import type { Clock } from '../../base/time.ts';
import type { InboundFile, OutboundFile } from '../../connectors/contract/messenger.ts';
import type { InboundOrigin, KeptInbound } from '../../files/keep-inbound-files.ts';
import type { Db } from '../../store/database/rows.ts';
import type { Conversation } from '../../store/messages/conversations.ts';
import type { SpaceKind } from '../../store/messages/message-tables.ts';
import type { Store } from '../../store/store.ts';
import type { Wakeups } from '../inbox/wakeups.ts';
import type { WebhookAnswers } from '../outbox/webhook-answers.ts';
import type { Arrivals } from './arrivals.ts';
import type { VoiceNotes } from './voice-notes.ts';

/** Dependencies for handling what one platform reports. Built once by the composition root. */
export interface IntakeDomain {
  readonly platform: Platform;
  readonly store: Store;
  readonly clock: Clock;
  readonly wakeups: Wakeups;
  /** Of all platforms. */
  readonly arrivals: Arrivals;
  /** Null on platforms where messages never have to wait until the other side writes. */
  readonly queue: HoldsMessages | null;
  readonly notes: Pick<VoiceNotes, 'hold' | 'onReleased'>;
  /** Webhooks that wait for the agent's next message. */
  readonly answers: Pick<WebhookAnswers, 'wait'>;
  /** Records files that came with a message, in its transaction. */
  readonly keepFiles: (trx: Db, origin: InboundOrigin, files: readonly InboundFile[]) => Promise<KeptInbound>;
  /** Opens a file of a sent message; null: it is gone. */
  readonly sentFile: (messageId: string, index: number) => Promise<OutboundFile | null>;
  /** Called after the commit for every new message from a person. */
  readonly onReceived: (received: ReceivedMessage) => void;
  /** Called after the commit when a person has sent a bot its one-time code and now owns it. */
  readonly onOwned: (conversationId: string) => void;
  /**
   * Called after the commit for a message of another bot that was not heard, since that bot has been answered too often.
   * `isFirst`: no other one before, of this exchange.
   */
  readonly onUnheard: (conversation: PlatformConversation, isFirst: boolean) => void;
  /** Called for what a chat or an account gets over a shared login faster than people write. It is not stored. */
  readonly onFlooded: (platform: Platform) => void;
  /** Called for a reaction that is not announced: its message is unknown, or the account stores as much as it may. */
  readonly onIgnoredReaction: (platform: Platform) => void;
  /** Updates sessions when an account got its first agent. */
  readonly followAgents: (accountId: string) => Promise<void>;
}

/** A conversation that is not between agents. */
export type PlatformConversation = Conversation & { readonly platform: Platform };

export interface ReceivedMessage {
  readonly platform: Platform;
  readonly accountId: string;
  readonly conversationId: string;
  readonly spaceKind: SpaceKind;
  readonly messageId: string;
  readonly messageSeq: number;
}

/** The queue of messages that wait until the other side writes, as the intake uses it. */
export interface HoldsMessages {
  /**
   * Call it in the transaction that stores a person's message, with the platform's time `sentAt`. Returns null, or the
   * time until which the message's event must wait for queued messages to go out; the queue then announces the message.
   */
  replied(trx: Db, conversationId: string, sentAt: string): Promise<string | null>;
  /** Sends the queued messages. Call it after that transaction. */
  flush(conversationId: string): void;
  /** Requeues a message that the platform later rejected because the other side must write first. */
  cameBack(messageId: string): Promise<unknown>;
}
