import type { Platform } from '../../base/platform.ts';
import type { Clock } from '../../base/time.ts';
import type { InboundFile } from '../../connectors/contract/messenger.ts';
import type { Db } from '../../store/database/tables.ts';
import type { Store } from '../../store/store.ts';
import type { Wakeups } from '../inbox/wakeups.ts';

/** What the verbs on what platforms tell work with; put together once by the composition root. */
export interface IntakeDomain {
  readonly store: Store;
  readonly clock: Clock;
  readonly wakeups: Wakeups;
  /** Of platforms where messages may have to wait until the other side writes. */
  readonly holds: ReadonlyMap<Platform, HoldsMessages>;
  /** Lists files that came with a message; run in its transaction. `tooLarge`: how many were left out. */
  readonly keepFiles: (trx: Db, from: FileOrigin, files: readonly InboundFile[]) => Promise<KeptFiles>;
  /** Told, after the commit, of every new message that a person wrote. */
  readonly onReceived: (received: ReceivedMessage) => void;
  /** Told, after the commit, that somebody has sent a bot its one-time code, and owns it from now on. */
  readonly onOwned: (conversationId: string) => void;
  /** Lets sessions follow when an account got its first agent. */
  readonly followAgents: (accountId: string) => Promise<void>;
}

export interface FileOrigin {
  readonly accountId: string;
  readonly platform: Platform;
  /** `shared`, or the bot's id. */
  readonly loginKey: string;
}

export interface KeptFiles {
  readonly fileIds: readonly string[];
  readonly tooLarge: number;
}

export interface ReceivedMessage {
  readonly accountId: string;
  readonly conversationId: string;
  readonly messageSeq: number;
}

/** The queue of messages that wait until the other side writes, seen from what the other side writes. */
export interface HoldsMessages {
  /**
   * Somebody wrote at `sentAt` (the platform's time): run in the transaction that stores it. Not null: until when its
   * event has to wait for messages that go out first; the queue puts it on the feed.
   */
  replied(trx: Db, conversationId: string, sentAt: string): Promise<string | null>;
  /** After that transaction: sends what waits. */
  flush(conversationId: string): void;
  /** Takes a message back of which the platform says later that the other side must write first. */
  cameBack(messageId: string): Promise<unknown>;
}
