import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Address, LoginRef } from '../../../base/address.ts';
import type { OutboundMessage, OutboundReaction, SendOutcome } from '../../contract/messenger.ts';
import { LOGIN_OK, LoginStatus } from '../../kit/login-check.ts';
import { outcomeOf, type SendRules } from '../../kit/sending.ts';
import { referenceOf } from '../messages/references.ts';
import { TalkRecords } from '../nctalk-records.ts';
import { failureOf, ocsDataIn } from '../ocs-client.ts';
import type { TalkConnection } from '../pairing/talk-pairing.ts';
import type { TalkWorld } from './talk-world.ts';

const POST_DEADLINE_MS = 20_000;
const RANDOM_BYTES = 32;
const SIGNATURE = /^[0-9a-f]{64}$/i;
const RANDOM = /^[A-Za-z0-9+/=_\\-]{32,128}$/;
const NOT_FOUND = 404;

/** Nothing tells whether a message has arrived. */
const RULES: SendRules = { retryMs: 2_000, isGone: ({ status }) => status === NOT_FOUND };

/** Headers of a post of Talk. Its signature covers the random and the body. */
export const BOT_HEADERS = {
  random: 'x-nextcloud-talk-random',
  signature: 'x-nextcloud-talk-signature',
} as const;

/** Whether the headers of a post could be Talk's, whatever its body. */
export function maySign(header: (name: string) => string): boolean {
  return RANDOM.test(header(BOT_HEADERS.random)) && SIGNATURE.test(header(BOT_HEADERS.signature));
}

interface BotRequest {
  /** Default: POST. */
  readonly method?: 'POST' | 'DELETE';
  /** Below `/bot/`, encoded. */
  readonly path: string;
  /** What people will see, which the signature covers. */
  readonly shown: string;
  readonly json: object;
}

/** A bot that an administrator has installed. It has no user: it is told what is written, and may write where it is switched on. */
export class TalkBotLogin extends LoginStatus {
  readonly kind = 'talk_bot' as const;
  readonly ref: LoginRef;
  readonly server: string;
  readonly #world: TalkWorld;
  readonly #secret: string;
  readonly #records: TalkRecords;

  constructor(world: TalkWorld, { id, server }: TalkConnection, secret: string) {
    super(({ status }) => {
      world.observer.count(status === LOGIN_OK ? 'login_ok' : 'login_failed');
      world.report(id, status);
    });
    this.ref = { kind: 'connection', id };
    this.server = server;
    this.#world = world;
    this.#secret = secret;
    this.#records = new TalkRecords(world.records, id);
  }

  /** Nobody can be asked before the bot is switched on in a conversation: it counts as working. */
  follow(): void {
    this.become({ status: LOGIN_OK });
  }

  /** Whether a post is Talk's. Its headers were checked with `maySign`. */
  isSigned(header: (name: string) => string, body: Uint8Array): boolean {
    const random = header(BOT_HEADERS.random);
    const signature = header(BOT_HEADERS.signature);
    const expected = createHmac('sha256', this.#secret).update(random).update(body).digest();
    return timingSafeEqual(expected, Buffer.from(signature, 'hex'));
  }

  async send(message: OutboundMessage, signal: AbortSignal): Promise<SendOutcome> {
    if (message.attachments.length > 0)
      return { kind: 'refused', reason: 'Talk bots cannot send files', isAddressGone: false };
    // An earlier process was sending it, and it cannot be looked for.
    if ((await this.#records.sending(message)) !== null)
      return { kind: 'unknown', reason: 'The gateway restarted while it was sent', sentIds: [] };
    await this.#records.putSending(message, null);
    const outcome = await this.#send(message, signal);
    if (outcome.kind === 'later') await this.#records.notSent(message);
    return outcome;
  }

  /** https://nextcloud-talk.readthedocs.io/en/latest/bots/#reacting-to-a-chat-message. Rejects with a PlatformFailure. */
  async react(
    { space }: Address,
    { platformMessageId, emoji: reaction, isAdded }: OutboundReaction,
    signal: AbortSignal,
  ): Promise<void> {
    const path = `${encodeURIComponent(space.id)}/reaction/${encodeURIComponent(platformMessageId)}`;
    const method = isAdded ? 'POST' : 'DELETE';
    await this.#ask({ method, path, shown: reaction, json: { reaction } }, signal);
  }

  async #send({ messageId, to, text, replyTo }: OutboundMessage, signal: AbortSignal): Promise<SendOutcome> {
    const answered = replyTo ?? to.thread;
    const json = {
      message: text,
      referenceId: referenceOf(messageId),
      ...(answered !== null && { replyTo: Number(answered) }),
    };
    try {
      await this.#ask({ path: `${encodeURIComponent(to.space.id)}/message`, shown: text, json }, signal);
      this.become({ status: LOGIN_OK });
      return { kind: 'sent', platformMessageIds: [] };
    } catch (error) {
      const failure = failureOf(error);
      this.#world.observer.count(failure.kind === 'later' ? 'throttled' : 'api_error');
      if (failure.isLoggedOut) this.become({ status: failure.message });
      return outcomeOf(failure, [], RULES);
    }
  }

  /**
   * https://nextcloud-talk.readthedocs.io/en/latest/bots/#sending-a-chat-message. The signature covers what is shown, not the body.
   * Rejects with a PlatformFailure.
   */
  async #ask({ method = 'POST', path, shown, json }: BotRequest, signal: AbortSignal): Promise<void> {
    const random = randomBytes(RANDOM_BYTES).toString('hex');
    const signature = createHmac('sha256', this.#secret).update(random).update(shown).digest('hex');
    const answer = await this.#world.http.ask({
      method,
      url: `${this.server}/ocs/v2.php/apps/spreed/api/v1/bot/${path}?format=json`,
      json,
      headers: {
        accept: 'application/json',
        'ocs-apirequest': 'true',
        'x-nextcloud-talk-bot-random': random,
        'x-nextcloud-talk-bot-signature': signature,
      },
      deadlineMs: POST_DEADLINE_MS,
      signal,
    });
    ocsDataIn(answer);
  }
}
