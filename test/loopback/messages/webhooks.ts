import { createHmac } from 'node:crypto';
import { isSameSecret } from '../../../src/base/ids.ts';
import type { MessageIntake } from '../../../src/connectors/contract/messenger.ts';
import {
  LOGIN_WEBHOOK,
  type ReplyEnd,
  type TakesWebhooks,
  type WebhookReply,
  type WebhookRequest,
} from '../../../src/connectors/contract/webhooks.ts';
import type { HostedLogins } from '../../../src/connectors/kit/hosted-logins.ts';
import type { LoopbackLogin } from './loopback-bot.ts';
import { addressOf, readMessage, takeMessage, WebhookEvent } from './vendor-messages.ts';

const SIGNATURE = 'x-loopback-signature';
const RANDOM = 'x-loopback-random';
/** The vendor waits for ten seconds. */
const REPLY_MS = 5_000;

const NO_LOGIN: WebhookReply = { status: 404, text: 'No such login' };
const WRONG_SIGNATURE: WebhookReply = { status: 401, text: 'Invalid signature' };

/**
 * What people write. The vendor signs its requests over a random text and the body, and we our answers over the same
 * random text. In a channel, an answer may carry the agent's next message.
 */
export class Webhooks implements TakesWebhooks {
  readonly endpoints = [{ path: LOGIN_WEBHOOK, methods: ['post'], answers: 'json' }] as const;
  readonly headers = [SIGNATURE, RANDOM];
  readonly replyHeaders = [SIGNATURE];
  readonly #logins: HostedLogins<LoopbackLogin>;
  readonly #intake: () => MessageIntake;

  constructor(logins: HostedLogins<LoopbackLogin>, intake: () => MessageIntake) {
    this.#logins = logins;
    this.#intake = intake;
  }

  refuses({ loginKey, header }: Pick<WebhookRequest, 'loginKey' | 'header'>): WebhookReply | null {
    if (!this.#logins.get(loginKey)?.webhookSecret) return NO_LOGIN;
    return header(SIGNATURE) === '' || header(RANDOM) === '' ? WRONG_SIGNATURE : null;
  }

  async webhook(request: WebhookRequest): Promise<WebhookReply> {
    const { ref, webhookSecret } = this.#logins.get(request.loginKey) ?? {};
    if (!ref || !webhookSecret) return NO_LOGIN;
    if (!isSigned(request, webhookSecret)) return WRONG_SIGNATURE;
    const event = readMessage(WebhookEvent, request.body);
    if (event === null) return { status: 400, text: 'Not an event' };
    const sign = (json: object): WebhookReply => signedReply(request, webhookSecret, json);
    if (event.type === 'verify') return sign({ challenge: event.challenge });
    try {
      const isNew = await takeMessage(this.#intake(), ref, event);
      const from = addressOf(ref, event.message);
      if (!isNew || from.space.kind === 'direct') return sign({});
      const reply = await this.#intake().awaitReply(from, REPLY_MS, request.signal);
      if (reply === null) return sign({});
      const { messageId: nonce, text } = reply.message;
      // The vendor drops a message with a nonce that it has: one whose answer may be lost can be sent again.
      const ended = (end: ReplyEnd): void =>
        reply.settle(end === 'written' ? { kind: 'sent', platformMessageIds: [] } : null);
      return { ...sign({ text, nonce }), ended };
    } catch {
      return { status: 503, text: 'Try again later' };
    }
  }
}

function isSigned({ header, body }: WebhookRequest, secret: string): boolean {
  return isSameSecret(header(SIGNATURE), signatureOf(secret, header(RANDOM), body));
}

function signedReply({ header }: WebhookRequest, secret: string, json: object): WebhookReply {
  const signature = signatureOf(secret, header(RANDOM), JSON.stringify(json));
  return { status: 200, json, headers: { [SIGNATURE]: signature } };
}

function signatureOf(secret: string, random: string, body: Uint8Array | string): string {
  return createHmac('sha256', secret).update(random).update(body).digest('hex');
}
