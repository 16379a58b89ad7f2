import * as z from 'zod';
import type { Address } from '../../../src/base/address.ts';
import { GatewayError } from '../../../src/base/errors.ts';
import type { LoginRef } from '../../../src/base/login-ref.ts';
import type {
  FetchesFiles,
  MessageIntake,
  Messenger,
  OutboundMessage,
  SendOutcome,
  ShowsTyping,
} from '../../../src/connectors/contract/messenger.ts';
import {
  checkTextLength,
  outcomeOf,
  type SendRules,
  sendParts,
} from '../../../src/connectors/kit/sending.ts';
import type { Logins } from './logins.ts';
import { SentMessage } from './vendor-messages.ts';

/** The vendor's limit, in UTF-16 units. */
const MAX_TEXT = 2_000;
/** The vendor drops a nonce that it has. */
const RULES: SendRules = {
  retryMs: 1_000,
  isGone: ({ code }) => code === 'space_not_found',
  dropsDuplicates: true,
};
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
    const login = this.#logins.bots.of(message.to.login);
    if (login === undefined) return { kind: 'refused', reason: 'The login is gone', isAddressGone: false };
    const { messageId, to, text, attachments } = message;
    return await sendParts({
      parts: [text],
      send: async () => {
        const files = await login.api.upload(attachments, signal);
        const json = { text, thread: to.thread, files, nonce: messageId };
        const request = { method: 'POST', path: `${spacePath(to)}/messages`, json } as const;
        return [(await login.api.call(request, SentMessage, signal)).id];
      },
      failed: (error, sentIds) => outcomeOf(error, sentIds, RULES),
    });
  }

  async showTyping(to: Address, signal: AbortSignal): Promise<void> {
    const request = { method: 'POST', path: `${spacePath(to)}/typing`, json: { thread: to.thread } } as const;
    await this.#logins.bots
      .of(to.login)
      ?.api.call(request, z.unknown(), signal)
      .catch(() => undefined);
  }

  async fetchFile(login: LoginRef, ref: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    const api = this.#logins.bots.of(login)?.api;
    if (api === undefined) throw new GatewayError('file_gone');
    return await api.openFile(ref, signal);
  }
}

/** Throws `send_failed` when the vendor would refuse the text for its length. */
export function checkText(text: string): void {
  checkTextLength('the loopback vendor', text.length, MAX_TEXT);
}

/** The vendor's path of a space. A direct conversation is named by the person. */
function spacePath({ space }: Address): string {
  return `${space.kind === 'direct' ? 'people' : 'spaces'}/${encodeURIComponent(space.id)}`;
}
