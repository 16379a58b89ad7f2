import type { Address, LoginRef } from '../../../../src/base/address.ts';
import type {
  InboundMessage,
  InboundReaction,
  Intake,
  LaterStatus,
  MessageIntake,
  SentMessage,
} from '../../../../src/connectors/contract/messenger.ts';

/** The domain's side of a messenger, as visible from outside: it stores each message once. */
export class MemoryIntake implements MessageIntake {
  readonly messages: InboundMessage[] = [];
  readonly reactions: (InboundReaction & { readonly person: string | null })[] = [];
  readonly edits: { remoteId: string; platformMessageId: string; text: string | null }[] = [];
  readonly reached: { remoteId: string; isReachable: boolean }[] = [];
  readonly bound: { remoteId: string; remoteName: string | null; token: string }[] = [];
  /** Valid invite tokens. */
  readonly tokens = new Set<string>();
  /** The shared login knows no one. */
  knowsNobody = false;
  /** This many writes fail from now on. */
  failures = 0;
  /** The error of those writes. */
  failure: unknown = new Error('it cannot be stored');
  /** The number of deliveries, successful or not. */
  told = 0;

  async received(message: InboundMessage): Promise<Intake> {
    this.#write();
    if (this.knowsNobody) return 'unbound';
    if (this.messages.some((each) => keyOf(each) === keyOf(message))) return 'duplicate';
    this.messages.push(message);
    return 'stored';
  }

  async reacted({ person }: Address, reaction: InboundReaction): Promise<void> {
    this.reactions.push({ ...reaction, person });
  }

  async edited(
    { space: { id: remoteId } }: Address,
    platformMessageId: string,
    text: string | null,
  ): Promise<void> {
    this.#write();
    this.edits.push({ remoteId, platformMessageId, text });
  }

  async reachable({ space: { id: remoteId } }: Address, isReachable: boolean): Promise<void> {
    this.#write();
    this.reached.push({ remoteId, isReachable });
  }

  async renamed(): Promise<void> {
    throw new Error('nobody is renamed on Telegram');
  }

  async followed(_login: LoginRef, _sent: SentMessage, _status: LaterStatus): Promise<boolean> {
    throw new Error('Telegram tells nothing of sent messages');
  }

  async bind(
    { space: { id: remoteId } }: Address,
    remoteName: string | null,
    token: string,
  ): Promise<boolean> {
    this.#write();
    if (!this.tokens.delete(token)) return false;
    this.bound.push({ remoteId, remoteName, token });
    this.knowsNobody = false;
    return true;
  }

  async awaitReply(): Promise<null> {
    return null;
  }

  async sentFile(): Promise<null> {
    return null;
  }

  get texts(): string[] {
    return this.messages.map(({ text }) => text);
  }

  #write(): void {
    this.told += 1;
    if (this.failures === 0) return;
    this.failures -= 1;
    throw this.failure;
  }
}

function keyOf({ from, platformMessageId }: InboundMessage): string {
  return `${JSON.stringify(from)} ${platformMessageId}`;
}
