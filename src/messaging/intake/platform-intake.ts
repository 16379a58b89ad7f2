import type { Platform } from '../../base/platform.ts';
import type {
  Address,
  InboundMessage,
  Intake,
  LaterStatus,
  LoginRef,
  MessageIntake,
  SentMessage,
} from '../../connectors/contract/messenger.ts';
import { followSent } from '../outbox/follow-sent.ts';
import { bindRemote } from './bind-remote.ts';
import { editMessage } from './edit-message.ts';
import { followReachability, followRename } from './follow-remote.ts';
import type { IntakeDomain } from './intake-domain.ts';
import { receiveMessage } from './receive-message.ts';

/** Applies what one platform reports about messages. */
export class PlatformIntake implements MessageIntake {
  readonly #domain: IntakeDomain;
  readonly #platform: Platform;

  constructor(domain: IntakeDomain, platform: Platform) {
    this.#domain = domain;
    this.#platform = platform;
  }

  async received(message: InboundMessage): Promise<Intake> {
    return await receiveMessage(this.#domain, this.#platform, message);
  }

  async edited(from: Address, platformMessageId: string, text: string): Promise<void> {
    await editMessage(this.#domain, this.#platform, from, { platformMessageId, text });
  }

  async reachable(address: Address, isReachable: boolean): Promise<void> {
    await followReachability(this.#domain, this.#platform, address, isReachable);
  }

  async renamed(before: Address, remoteId: string, alias: string | null): Promise<void> {
    await followRename(this.#domain, this.#platform, { before, remoteId, alias });
  }

  async followed(login: LoginRef, sent: SentMessage, status: LaterStatus): Promise<boolean> {
    return await followSent(this.#domain, this.#platform, login, { sent, status });
  }

  async bind(from: Address, remoteName: string | null, token: string): Promise<boolean> {
    return await bindRemote(this.#domain, this.#platform, { from, remoteName, token });
  }
}
