import type { FakeFile } from '../dav/file-tree.ts';

/** Who writes in a conversation. */
export interface Actor {
  readonly type: 'users' | 'guests' | 'bots';
  readonly id: string;
  readonly name: string;
}

/** What Talk's own messages are about; `file_shared` is shown as a message of its sender. */
export type SystemMessage =
  | 'conversation_created'
  | 'user_added'
  | 'user_removed'
  | 'call_started'
  | 'call_joined'
  | 'call_left'
  | 'call_ended'
  | 'call_ended_everyone'
  | 'message_deleted'
  | 'message_edited'
  | 'reaction_revoked';

/** A comment in Nextcloud's table, which is what a message is. */
export interface FakeMessage {
  readonly id: number;
  readonly actor: Actor;
  /** Unix time, in seconds. */
  readonly timestamp: number;
  verb: 'comment' | 'object_shared' | 'comment_deleted' | 'system' | 'reaction' | 'reaction_deleted';
  /** As typed: mentions are `@uid`. Of a file its caption, of a reaction the emoji. */
  text: string;
  readonly system: SystemMessage | null;
  /** Whom a system message is about. */
  readonly about: Actor | null;
  readonly parent: FakeMessage | null;
  /** Id of the message that began the thread; null: outside threads. */
  readonly thread: number | null;
  readonly referenceId: string;
  readonly isSilent: boolean;
  /** Unix time, in seconds; 0: never. */
  readonly expiresAt: number;
  readonly file: FakeFile | null;
  readonly fileName: string;
  /** What the chat API tells in place of its own words, as of kinds that the fake has no people for. */
  readonly wire: Readonly<Record<string, unknown>> | null;
  lastEdit: { readonly actor: Actor; readonly timestamp: number } | null;
}

export function isSameActor(one: Actor, other: Actor): boolean {
  return one.type === other.type && one.id === other.id;
}
