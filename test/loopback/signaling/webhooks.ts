import { createHmac } from 'node:crypto';
import { isSameSecret } from '../../../src/base/tokens.ts';
import type { AwaitedReply } from '../../../src/connectors/contract/messenger.ts';
import {
  LOGIN_WEBHOOK,
  type ReplyEnd,
  type TakesWebhooks,
  type WebhookReply,
  type WebhookRequest,
} from '../../../src/connectors/contract/webhooks.ts';
import { addressOf, takeMessage } from './inbound-messages.ts';
import type { Logins, LoopbackLogin } from './logins.ts';
import { readMessage, type VendorMessage, WebhookEvent } from './vendor-messages.ts';

const SIGNATURE = 'x-loopback-signature';
const RANDOM = 'x-loopback-random';
/** The vendor waits for ten seconds. */
const REPLY_MS = 5_000;

const NO_LOGIN: WebhookReply = { status: 404, text: 'No such login' };
const WRONG_SIGNATURE: WebhookReply = { status: 401, text: 'Invalid signature' };
const NO_EVENT: WebhookReply = { status: 400, text: 'Not an event' };
const NOT_STORED: WebhookReply = { status: 503, text: 'Try again later' };

/**
 * What people write in channels. The vendor signs its requests over a random text and the body, and we our answers over
 * the same random text. An answer may carry the agent's next message.
 */
export class Webhooks implements TakesWebhooks {
  readonly endpoints = [{ path: LOGIN_WEBHOOK, methods: ['post'], answers: 'json' }] as const;
  readonly headers = [SIGNATURE, RANDOM];
  readonly replyHeaders = [SIGNATURE];
  readonly #logins: Logins;

  constructor(logins: Logins) {
    this.#logins = logins;
  }

  refuses({ loginKey, header }: Parameters<TakesWebhooks['refuses']>[0]): WebhookReply | null {
    if (this.#logins.bots.get(loginKey) === undefined) return NO_LOGIN;
    return header(SIGNATURE) === '' || header(RANDOM) === '' ? WRONG_SIGNATURE : null;
  }

  async webhook(request: WebhookRequest): Promise<WebhookReply> {
    const login = this.#logins.bots.get(request.loginKey);
    if (login === undefined) return NO_LOGIN;
    if (!isSigned(request, login.webhookSecret)) return WRONG_SIGNATURE;
    const event = readMessage(WebhookEvent, Buffer.from(request.body));
    if (event === null) return NO_EVENT;
    const sign = (json: object): WebhookReply => signedReply(request, login.webhookSecret, json);
    if (event.type === 'verify') return sign({ challenge: event.challenge });
    try {
      const isNew = await takeMessage(this.#logins.intake, login.ref, event.type, event.message);
      const reply = isNew ? await this.#nextMessage(login, event.message, request.signal) : null;
      return reply === null ? sign({}) : withMessage(sign, reply);
    } catch {
      return NOT_STORED;
    }
  }

  /** Null: the agent has written nothing in time. */
  #nextMessage({ ref }: LoopbackLogin, to: VendorMessage, gone: AbortSignal): Promise<AwaitedReply | null> {
    return this.#logins.intake.awaitReply(addressOf(ref, to), REPLY_MS, gone);
  }
}

/** The vendor drops a message with a nonce that it has, so one whose answer may be lost can be sent again. */
function withMessage(
  sign: (json: object) => WebhookReply,
  { message: { messageId, text }, settle }: AwaitedReply,
): WebhookReply {
  const ended = (end: ReplyEnd): void =>
    settle(end === 'written' ? { kind: 'sent', platformMessageIds: [] } : null);
  return { ...sign({ text, nonce: messageId }), ended };
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
