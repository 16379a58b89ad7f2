import { createHmac, timingSafeEqual } from 'node:crypto';
import { type Address, directAddress, type LoginRef, SHARED_LOGIN } from '../../base/address.ts';
import { isSameSecret } from '../../base/ids.ts';
import { LimitedMap } from '../../base/limited-map.ts';
import { type Clock, pause } from '../../base/time.ts';
import type { InboundMessage, LaterStatus, MessageIntake } from '../contract/messenger.ts';
import {
  LOGIN_WEBHOOK,
  type TakesWebhooks,
  type WebhookReply,
  type WebhookRequest,
} from '../contract/webhooks.ts';
import { codesIn } from '../kit/newcomers.ts';
import { errorText, isWindowClosed } from './client.ts';
import { inboundEdit, inboundMessage, inboundReaction, namesOf } from './inbound-message.ts';
import { withoutToken } from './invitation.ts';
import {
  readPayload,
  type WebhookChange,
  type WireContact,
  type WireMessage,
  type WireStatus,
} from './webhook-payload.ts';

const SHARED: LoginRef = { kind: 'shared' };
const SIGNATURE_HEADER = 'x-hub-signature-256';
const NOT_FOUND: WebhookReply = { status: 404, text: 'Not found' };
/** A status may arrive before the answer to the request that sent the message. */
const STATUS_ATTEMPTS = 20;
const STATUS_RETRY_MS = 100;
const MAX_CACHED_STATUSES = 20_000;
const MAX_KNOWN_REACTIONS = 5_000;

export interface WebhookSecrets {
  readonly phoneNumberId: string;
  readonly appSecret: string;
  readonly verifyToken: string;
}

export type WebhookEvent =
  | 'webhook_refused'
  | 'webhook_unreadable'
  | 'webhook_failed'
  | 'part_unreadable'
  | 'message_ignored'
  | 'stranger';

/** The receiver's dependencies other than the secrets. */
export interface WebhookDeps {
  readonly clock: Clock;
  readonly closing: AbortSignal;
  intake(): MessageIntake;
  /** Size in bytes; null when unknown. */
  sizeOf(mediaId: string): Promise<number | null>;
  /** Called when a person who is not a contact writes. */
  onStranger(address: Address): void;
  count(event: WebhookEvent): void;
  onFailure(error: unknown): void;
}

/** Verifies, parses and hands on Meta's webhook requests. Each is answered once everything in it is stored. */
export class WebhookReceiver implements TakesWebhooks {
  readonly endpoints = [{ path: LOGIN_WEBHOOK, methods: ['get', 'post'], answers: 'text' }] as const;
  readonly headers = [SIGNATURE_HEADER];
  readonly #secrets: WebhookSecrets;
  readonly #deps: WebhookDeps;
  /** Ids of messages whose final status has been reported. */
  readonly #settled = new LimitedMap<true>(MAX_CACHED_STATUSES);
  /** The newest reactions, by person and message. */
  readonly #reactions = new LimitedMap<string>(MAX_KNOWN_REACTIONS);

  constructor(secrets: WebhookSecrets, deps: WebhookDeps) {
    this.#secrets = secrets;
    this.#deps = deps;
  }

  /** Refuses requests that cannot be Meta's whatever their body: the wrong path or a malformed signature. */
  refuses({ loginKey, header }: Pick<WebhookRequest, 'loginKey' | 'header'>): WebhookReply | null {
    if (loginKey !== SHARED_LOGIN) return NOT_FOUND;
    return isSignature(header(SIGNATURE_HEADER)) ? null : this.#wrongSignature();
  }

  /** Handles a request. Meta repeats requests not answered with 200 for days. */
  async webhook(request: WebhookRequest): Promise<WebhookReply> {
    if (request.loginKey !== SHARED_LOGIN) return NOT_FOUND;
    if (request.method !== 'post') return this.#verify(request.query);
    if (!isSigned(request.body, request.header(SIGNATURE_HEADER), this.#secrets.appSecret))
      return this.#wrongSignature();
    const changes = readPayload(request.body, this.#secrets.phoneNumberId);
    if (!changes) {
      this.#deps.count('webhook_unreadable');
      return { status: 400, text: 'Not a WhatsApp payload' };
    }
    return (await this.#takeAll(changes))
      ? { status: 200, text: 'ok' }
      : { status: 503, text: 'Try again later' };
  }

  #wrongSignature(): WebhookReply {
    this.#deps.count('webhook_refused');
    return { status: 401, text: 'Invalid signature' };
  }

  #verify(query: Readonly<Record<string, string>>): WebhookReply {
    const isOurs =
      query['hub.mode'] === 'subscribe' &&
      isSameSecret(query['hub.verify_token'] ?? '', this.#secrets.verifyToken);
    return isOurs
      ? { status: 200, text: query['hub.challenge'] ?? '' }
      : { status: 403, text: 'Invalid verify token' };
  }

  async #takeAll(changes: readonly WebhookChange[]): Promise<boolean> {
    try {
      for (const change of changes) if (!(await this.#takeChange(change))) return false;
      return true;
    } catch (error) {
      this.#deps.count('webhook_failed');
      this.#deps.onFailure(error);
      return false;
    }
  }

  async #takeChange({ contacts, messages, statuses, unreadable }: WebhookChange): Promise<boolean> {
    for (let count = 0; count < unreadable; count++) this.#deps.count('part_unreadable');
    for (const message of messages) {
      const inbound = inboundMessage(message, contacts, this.#deps.clock.nowIso());
      if (inbound) await this.#takeMessage(await this.#measured(message, inbound));
      else if (message.type === 'system') await this.#rename(message);
      else if (message.type === 'reaction') await this.#react(message, contacts);
      else if (message.type === 'edit' || message.type === 'revoke') await this.#edit(message, contacts);
      else this.#deps.count('message_ignored');
    }
    for (const status of statuses) if (!(await this.#takeStatus(status))) return false;
    return true;
  }

  async #edit(message: WireMessage, contacts: readonly WireContact[]): Promise<void> {
    const edit = inboundEdit(message, contacts);
    if (edit === undefined) return this.#deps.count('message_ignored');
    await this.#deps.intake().edited(edit.from, edit.messageId, edit.text);
  }

  /** WhatsApp does not tell which reaction was taken back. */
  async #react(message: WireMessage, contacts: readonly WireContact[]): Promise<void> {
    const reaction = inboundReaction(message, contacts);
    if (reaction === undefined) return this.#deps.count('message_ignored');
    const { from, messageId, emoji: told } = reaction;
    const key = `${from.space.id} ${messageId}`;
    const emoji = told ?? this.#reactions.get(key) ?? null;
    if (told === null) this.#reactions.delete(key);
    else this.#reactions.set(key, told);
    const isAdded = told !== null;
    await this.#deps
      .intake()
      .reacted(from, { platformMessageId: messageId, emoji, isAdded, senderName: null });
  }

  async #takeMessage(message: InboundMessage): Promise<void> {
    const intake = this.#deps.intake();
    const text = await this.#boundText(intake, message);
    if ((await intake.received({ ...message, text })) !== 'unbound') return;
    this.#deps.count('stranger');
    this.#deps.onStranger(message.from);
  }

  /**
   * Adds the size of a document. Other media cannot exceed our limit because WhatsApp's own limits are lower. Messages
   * themselves carry no sizes.
   */
  async #measured({ type }: WireMessage, inbound: InboundMessage): Promise<InboundMessage> {
    const [file] = inbound.files;
    if (type !== 'document' || !file?.ref) return inbound;
    return { ...inbound, files: [{ ...file, sizeBytes: await this.#deps.sizeOf(file.ref) }] };
  }

  /**
   * Returns the text without an invite token. A valid token makes the sender a contact of the account that issued it.
   */
  async #boundText(intake: MessageIntake, { from, remoteName, text }: InboundMessage): Promise<string> {
    for (const token of codesIn(text)) {
      if (await intake.bind(from, remoteName, token)) return withoutToken(text, token);
    }
    return text;
  }

  /** Handles a change of a person's phone number, which also changes their business-scoped id. */
  async #rename({ from, system }: WireMessage): Promise<void> {
    const now = namesOf(system?.user_id, system?.wa_id);
    if (!now) return;
    for (const before of new Set([system?.previous_user_id, from])) {
      if (!before || before === now.remoteId) continue;
      await this.#deps.intake().renamed(directAddress(SHARED, before), now.remoteId, now.alias);
    }
  }

  /**
   * Handles a status. Statuses arrive late, repeatedly and in any order. After `delivered` or a failure, later ones are
   * ignored.
   */
  async #takeStatus(status: WireStatus): Promise<boolean> {
    const later = laterStatus(status);
    if (!later || this.#settled.get(status.id)) return true;
    const sent = { platformMessageId: status.id, messageId: status.biz_opaque_callback_data ?? null };
    for (let attempt = 0; attempt < STATUS_ATTEMPTS; attempt++) {
      if (await this.#deps.intake().followed(SHARED, sent, later)) {
        this.#settled.set(status.id, true);
        return true;
      }
      await pause(this.#deps.clock, STATUS_RETRY_MS, this.#deps.closing);
      if (this.#deps.closing.aborted) break;
    }
    return false;
  }
}

/**
 * Maps a status to its outcome. `sent` is skipped, because the answer to the request already says that Meta has the
 * message.
 */
function laterStatus({ status, errors = [] }: WireStatus): LaterStatus | undefined {
  if (status === 'delivered' || status === 'read' || status === 'played') return { kind: 'delivered' };
  if (status !== 'failed') return undefined;
  if (errors.some(({ code }) => isWindowClosed(code))) return { kind: 'window_closed' };
  return { kind: 'failed', reason: errors[0] ? errorText(errors[0]) : 'no reason given' };
}

const SIGNATURE = /^sha256=([0-9a-f]{64})$/i;

/** Whether a header is formatted as a signature. */
export function isSignature(header: string): boolean {
  return SIGNATURE.test(header);
}

/**
 * Whether Meta signed these bytes with our app secret (`X-Hub-Signature-256`). The raw bytes are needed: Meta escapes
 * non-ASCII letters, so reserialized JSON differs.
 */
export function isSigned(body: Uint8Array, header: string, appSecret: string): boolean {
  const [, hex] = SIGNATURE.exec(header) ?? [];
  if (hex === undefined) return false;
  const expected = createHmac('sha256', appSecret).update(body).digest();
  return timingSafeEqual(Buffer.from(hex, 'hex'), expected);
}
