import * as z from 'zod';
import { GatewayError } from '../../../src/base/errors.ts';
import type { Address } from '../../../src/connectors/contract/address.ts';
import { keyOfLogin, type LoginRef } from '../../../src/connectors/contract/login.ts';
import type {
  FetchesFiles,
  MessageIntake,
  Messenger,
  OutboundMessage,
  SendOutcome,
  ShowsTyping,
} from '../../../src/connectors/contract/messenger.ts';
import type { Logins } from './logins.ts';
import { LoopbackRefusal } from './loopback-api.ts';
import { sendMessage, spacePath } from './message-sender.ts';
import { checkText } from './text-limit.ts';

/** The vendor shows the indicator for a second. */
const TYPING_REPEAT_MS = 800;

/** Direct messages, channels and threads. */
export class LoopbackMessenger implements Messenger, ShowsTyping, FetchesFiles {
  readonly typing: ShowsTyping = this;
  readonly files: FetchesFiles = this;
  readonly typingRepeatMs = TYPING_REPEAT_MS;
  readonly dropsDuplicatesForMs = Number.POSITIVE_INFINITY;
  readonly checkText = checkText;
  readonly #logins: Logins;

  constructor(logins: Logins) {
    this.#logins = logins;
  }

  onMessages(intake: MessageIntake): void {
    this.#logins.receive(intake);
  }

  async send(message: OutboundMessage, signal: AbortSignal): Promise<SendOutcome> {
    const login = this.#logins.find(keyOfLogin(message.to.login));
    if (login === null) return { kind: 'refused', reason: 'The login is gone', isAddressGone: false };
    return await sendMessage(login.api, message, signal);
  }

  async showTyping(to: Address, signal: AbortSignal): Promise<void> {
    const request = { method: 'POST', path: `${spacePath(to)}/typing`, body: { thread: to.thread } } as const;
    await this.#logins
      .find(keyOfLogin(to.login))
      ?.api.call(request, z.unknown(), signal)
      .catch(() => undefined);
  }

  async fetchFile(login: LoginRef, ref: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    const api = this.#logins.find(keyOfLogin(login))?.api;
    if (api === undefined) throw new GatewayError('file_gone');
    try {
      return await api.download(`files/${encodeURIComponent(ref)}`, signal);
    } catch (error) {
      const isGone = error instanceof LoopbackRefusal && error.status === 404;
      throw new GatewayError(isGone ? 'file_gone' : 'platform_failed', (error as Error).message);
    }
  }
}
