import * as z from 'zod';
import type { Address, LoginRef } from '../../../src/base/address.ts';
import { assert } from '../../../src/base/assert.ts';
import { GatewayError } from '../../../src/base/errors.ts';
import type { Connector } from '../../../src/connectors/contract/connector.ts';
import type {
  FetchesFiles,
  MessageIntake,
  Messenger,
  OutboundMessage,
  SendOutcome,
  ShowsTyping,
} from '../../../src/connectors/contract/messenger.ts';
import { HostedLogins } from '../../../src/connectors/kit/hosted-logins.ts';
import {
  checkTextLength,
  outcomeOf,
  type SendRules,
  sendParts,
} from '../../../src/connectors/kit/sending.ts';
import { PLATFORM } from '../platform.ts';
import { sentContext } from './context.ts';
import { type ChatOptions, failureOf, LoopbackBot, type LoopbackLogin } from './loopback-bot.ts';
import { reactionsBy } from './reactions.ts';
import { SentMessage } from './vendor-messages.ts';
import { Webhooks } from './webhooks.ts';

/** The vendor's limit, in UTF-16 units. */
export const MAX_TEXT = 2_000;
/** The vendor drops a nonce that it has. */
const RULES: SendRules = {
  retryMs: 1_000,
  isGone: ({ code }) => code === 'space_not_found',
  dropsDuplicates: true,
};

/** Direct messages, channels and threads with bots that accounts add. */
export class LoopbackChat implements Connector, Messenger, ShowsTyping, FetchesFiles {
  readonly platform = PLATFORM;
  readonly typing: ShowsTyping = this;
  readonly files: FetchesFiles = this;
  readonly reactions = reactionsBy(({ login }) => this.logins.of(login), spacePath);
  readonly quotes = true;
  readonly choices = { most: 10, longest: 80 };
  /** The vendor shows the indicator for a second. */
  readonly typingRepeatMs = 800;
  readonly dropsDuplicatesForMs = Number.POSITIVE_INFINITY;
  readonly maxText = MAX_TEXT;
  readonly logins: HostedLogins<LoopbackLogin>;
  readonly provides;
  #intake: MessageIntake | null = null;

  constructor(options: ChatOptions) {
    const logins = new HostedLogins<LoopbackLogin>({
      form: { pattern: /./, hint: 'A token is missing' },
      open: (bot, onState) => {
        if (logins.all.some((other) => other instanceof LoopbackBot && other.token === bot.token))
          throw new GatewayError('bot_token_taken');
        const login = new LoopbackBot(bot, options, onState);
        logins.put(bot.id, login);
        return login;
      },
      failureOf,
      follow: () => undefined,
    });
    this.logins = logins;
    this.provides = {
      messenger: this,
      webhooks: new Webhooks(logins, () => this.intake),
      bots: logins,
    };
  }

  onMessages(intake: MessageIntake): void {
    this.#intake = intake;
  }

  get intake(): MessageIntake {
    assert(this.#intake !== null, 'onMessages comes before logins');
    return this.#intake;
  }

  /** Nothing to open: the gateway hands the bots over. */
  async start(): Promise<void> {}

  async close(): Promise<void> {
    await this.logins.close();
  }

  checkText(text: string): void {
    checkTextLength('the loopback vendor', text.length, MAX_TEXT);
  }

  async send(message: OutboundMessage, signal: AbortSignal): Promise<SendOutcome> {
    const { messageId, to, text, attachments } = message;
    const login = this.logins.of(to.login);
    if (login === undefined) return { kind: 'refused', reason: 'The login is gone', isAddressGone: false };
    return await sendParts({
      parts: [text],
      send: async () => {
        const files = await login.api.upload(attachments, signal);
        const json = { text, thread: to.thread, files, nonce: messageId, ...sentContext(message) };
        const request = { method: 'POST', path: `${spacePath(to)}/messages`, json } as const;
        return [(await login.api.call(request, SentMessage, signal)).id];
      },
      failed: (error, sentIds) => {
        const failure = failureOf(error);
        login.failed(failure);
        return outcomeOf(failure, sentIds, RULES);
      },
    });
  }

  async showTyping(to: Address, signal: AbortSignal): Promise<void> {
    const request = { method: 'POST', path: `${spacePath(to)}/typing`, json: { thread: to.thread } } as const;
    const login = this.logins.of(to.login);
    await login?.api.call(request, z.unknown(), signal).catch(() => undefined);
  }

  async fetchFile(login: LoginRef, ref: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    const api = this.logins.of(login)?.api;
    if (api === undefined) throw new GatewayError('file_gone');
    return await api.openFile(ref, signal);
  }
}

/** The vendor's path of a space. A direct conversation is named by the person. */
function spacePath({ space }: Address): string {
  return `${space.kind === 'direct' ? 'people' : 'spaces'}/${encodeURIComponent(space.id)}`;
}
