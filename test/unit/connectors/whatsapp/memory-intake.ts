import type { Address, LoginRef } from '../../../../src/base/address.ts';
import type {
  InboundMessage,
  InboundReaction,
  Intake,
  LaterStatus,
  MessageIntake,
  SentMessage,
} from '../../../../src/connectors/contract/messenger.ts';

/** The domain's side of a messenger, minimal: contacts, tokens and messages in memory. */
export class MemoryIntake implements MessageIntake {
  readonly messages: InboundMessage[] = [];
  readonly reactions: (InboundReaction & { readonly person: string | null })[] = [];
  readonly contacts = new Set<string>();
  readonly tokens = new Set<string>();
  readonly followedStatuses: (SentMessage & { readonly status: LaterStatus })[] = [];
  readonly renames: { readonly before: string; readonly remoteId: string; readonly alias: string | null }[] =
    [];
  /** How many times a status is still refused. */
  busyFor = 0;
  /** The next message cannot be stored. */
  failsNext = false;

  async received(message: InboundMessage): Promise<Intake> {
    if (this.failsNext) {
      this.failsNext = false;
      throw new Error('the disk is full');
    }
    if (!this.contacts.has(message.from.space.id)) return 'unbound';
    const isKnown = this.messages.some(({ platformMessageId: id }) => id === message.platformMessageId);
    if (isKnown) return 'duplicate';
    this.messages.push(message);
    return 'stored';
  }

  async reacted({ person }: Address, reaction: InboundReaction): Promise<void> {
    this.reactions.push({ ...reaction, person });
  }

  async edited(): Promise<void> {}

  async reachable(): Promise<void> {}

  async renamed({ space: { id: before } }: Address, remoteId: string, alias: string | null): Promise<void> {
    this.renames.push({ before, remoteId, alias });
  }

  async followed(_login: LoginRef, sent: SentMessage, status: LaterStatus): Promise<boolean> {
    if (this.busyFor > 0) {
      this.busyFor--;
      return false;
    }
    this.followedStatuses.push({ ...sent, status });
    return true;
  }

  async bind(from: Address, _remoteName: string | null, token: string): Promise<boolean> {
    if (!this.tokens.delete(token)) return false;
    this.contacts.add(from.space.id);
    return true;
  }

  async awaitReply(): Promise<null> {
    return null;
  }

  async sentFile(): Promise<null> {
    return null;
  }
}
