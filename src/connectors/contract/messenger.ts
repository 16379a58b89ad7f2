import type { Platform } from '../../base/platform.ts';

/**
 * The gateway's login at a platform that a message uses: a bot added by an account (the id of its BotToken), or the
 * login shared by all accounts.
 */
export type LoginRef = { readonly kind: 'bot_token'; readonly id: string } | { readonly kind: 'shared' };

/** A person at a platform, as seen by one login. */
export interface Address {
  readonly login: LoginRef;
  /** The platform's permanent identifier of the person, as text. */
  readonly remoteId: string;
}

/** A messaging platform: the messaging half of a connector. */
export interface Messenger {
  readonly platform: Platform;
  /**
   * Throws GatewayError `send_failed` when the text, or caption, is longer than the platform accepts. Length is counted
   * the platform's way.
   */
  checkText(text: string, isCaption: boolean): void;
  /**
   * Sends one message and settles before `signal` aborts. Platform errors are returned as outcomes, never as
   * rejections.
   */
  send(message: OutboundMessage, signal: AbortSignal): Promise<SendOutcome>;
}

export interface OutboundMessage {
  /** Our id, which platforms that support it echo or use for de-duplication. */
  readonly messageId: string;
  readonly to: Address;
  /** Empty only with attachments. With attachments, it is the caption of the first one. */
  readonly text: string;
  readonly attachments: readonly OutboundFile[];
}

export interface OutboundFile {
  readonly name: string;
  readonly mime: string;
  readonly sizeBytes: number;
  /** Opens the file's bytes, from the beginning on each call. */
  open(): AsyncIterable<Uint8Array>;
}

/** Outcome of sending a message. */
export type SendOutcome =
  | { readonly kind: 'sent'; readonly platformMessageIds: readonly string[] }
  /** The platform rejected the message for good. `reason` is the platform's own text. */
  | { readonly kind: 'refused'; readonly reason: string; readonly isAddressGone: boolean }
  /** The platform accepted nothing for now: retry after `afterMs`. */
  | { readonly kind: 'later'; readonly reason: string; readonly afterMs: number }
  /** The other side must write first (WhatsApp's service window). */
  | { readonly kind: 'window_closed' }
  /** Delivery is uncertain. `sentIds` lists the parts that did arrive. */
  | { readonly kind: 'unknown'; readonly reason: string; readonly sentIds: readonly string[] };

/** A platform that only allows messages to people who wrote recently. */
export interface HasWindow {
  /** How long a person can be messaged after they last wrote, in milliseconds. */
  readonly windowMs: number;
  /**
   * Asks a person to write again, so that `text` can then be sent to them. This is the only message that can be sent
   * outside the window. Outcomes are those of `send`.
   */
  askToReply(to: Address, text: string, signal: AbortSignal): Promise<SendOutcome>;
}

/**
 * A platform that drops a second message with the same `messageId`. Messages in flight when the gateway crashed are
 * sent again there. On any other platform it is unknown whether they arrived.
 */
export interface DropsDuplicates {
  readonly dropsDuplicates: true;
}

/** A platform that shows no caption with some files and drops the text. */
export interface DropsCaptions {
  dropsCaption(file: OutboundFile): Promise<boolean>;
}

/** A platform that can show a typing indicator. */
export interface ShowsTyping {
  /** Interval at which to repeat the indicator before it expires on the other side, in milliseconds. */
  readonly typingRepeatMs: number;
  /** Best effort; never rejects. */
  showTyping(to: Address, signal: AbortSignal): Promise<void>;
}

/** A platform whose files can be downloaded, repeatedly and later. */
export interface FetchesFiles {
  /**
   * Opens the bytes of `ref` (see InboundFile). Rejects with GatewayError `file_gone` when the platform no longer has
   * the file, `platform_failed` on any other failure.
   */
  fetchFile(login: LoginRef, ref: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
}

/** A received file that has not been downloaded yet. */
export interface InboundFile {
  readonly name: string;
  readonly mime: string;
  /** Null when the platform does not report it. */
  readonly sizeBytes: number | null;
  /** Reference for `fetchFile`; null when the platform does not offer files of this size for download. */
  readonly ref: string | null;
}

export interface InboundMessage {
  readonly from: Address;
  /** Another identifier of the same person that older conversations may use (a phone number). */
  readonly alias: string | null;
  readonly remoteName: string | null;
  /** Unique within the conversation. */
  readonly platformMessageId: string;
  readonly text: string;
  readonly sentAt: string;
  readonly files: readonly InboundFile[];
}

/** Result of handing in an inbound message. All of these may be acknowledged to the platform. */
export type Intake =
  | 'stored'
  | 'duplicate'
  /** The shared login does not know which account this person writes to. */
  | 'unbound';

/** The domain's side of a messenger. Its promises settle once the change is on disk. */
export interface MessageIntake {
  received(message: InboundMessage): Promise<Intake>;
  /** The other side edited a message. Unknown messages are ignored. */
  edited(from: Address, platformMessageId: string, text: string): Promise<void>;
  /** The other side has become unreachable, or reachable again. */
  reachable(address: Address, isReachable: boolean): Promise<void>;
  /** The person's permanent identifier has changed, and possibly the alias too. */
  renamed(before: Address, remoteId: string, alias: string | null): Promise<void>;
  /**
   * Reports a later status of a sent message. Returns false while the message is still being sent and its outcome is
   * not stored yet; report the status again.
   */
  followed(login: LoginRef, sent: SentMessage, status: LaterStatus): Promise<boolean>;
  /**
   * Binds a person to an account after they sent an invite or deep-link token to the shared login. Returns false when
   * the token is unknown, used or expired.
   */
  bind(from: Address, remoteName: string | null, token: string): Promise<boolean>;
}

/** Identifies a sent message in a later status report. */
export interface SentMessage {
  readonly platformMessageId: string;
  /** Our id, where the platform echoes it. It identifies messages whose platform id we never learned. */
  readonly messageId: string | null;
}

export type LaterStatus =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'window_closed' };

/** Metrics and logs of a connector; never message content or credentials. */
export interface MessengerObserver<Event extends string> {
  count(event: Event): void;
  log(level: 'info' | 'warn' | 'error', text: string, detail: Readonly<Record<string, unknown>>): void;
}

/**
 * Stores updates that a login has acknowledged to its platform but not handed on yet. On disk once a promise settles.
 */
export interface LoginNotes {
  /** Returns null when there is no note. */
  read(loginKey: string): Promise<string | null>;
  /** Replaces the previous note; null deletes it. */
  write(loginKey: string, note: string | null): Promise<void>;
}

/** A platform on which people can write to us. */
export interface TakesMessages {
  /** Sets the receiver of their messages. Called once, before `start`. */
  onMessages(intake: MessageIntake): void;
}

/** A platform on which people become contacts of an account through a link that contains its invite token. */
export interface InvitesPeople {
  /** Null until the platform has told us where the link leads. */
  inviteUrl(token: string): string | null;
}

/** A platform that delivers over webhooks. */
export interface TakesWebhooks {
  readonly webhooks: {
    readonly methods: readonly WebhookRequest['method'][];
    /** Headers the platform's handler reads, in lower case. */
    readonly headers: readonly string[];
  };
  /**
   * Checks a POST before its body is read. Returns the reply when the request cannot be from the platform, null when it
   * may be.
   */
  refuses(request: Pick<WebhookRequest, 'loginKey' | 'header'>): WebhookReply | null;
  /** Handles a webhook request. Never rejects. Nothing is acknowledged before it is stored. */
  webhook(request: WebhookRequest): Promise<WebhookReply>;
}

export interface WebhookRequest {
  readonly method: 'get' | 'post';
  /** Last path segment: the login being called. */
  readonly loginKey: string;
  readonly query: Readonly<Record<string, string>>;
  /** Returns a header by its lower-case name; '' when absent. */
  header(name: string): string;
  /** The raw bytes: signatures are computed over them. */
  readonly body: Uint8Array;
}

export interface WebhookReply {
  readonly status: 200 | 400 | 401 | 403 | 404 | 503;
  readonly text: string;
}

/** State of one of the gateway's logins. */
export interface LoginState {
  /** Name that people see on the platform, such as `@my_bot`; null until the platform has reported it. */
  readonly name: string | null;
  /** `ok`, or the problem in the platform's words. */
  readonly status: string;
}

/** A platform with one login shared by all accounts. */
export interface SharesLogin {
  /** Null when the operator has not set one up. */
  sharedLogin(): LoginState | null;
}

/** A platform that hosts bots added by accounts. */
export interface HostsBots {
  /**
   * Logs the bot in and starts receiving its messages. A platform that is unreachable shows in the returned state; the
   * bot is kept. Rejects with GatewayError `bot_refused`, with the platform's words, or `bot_token_taken`; the bot is
   * then not kept.
   */
  addBot(bot: HostedBot): Promise<LoginState>;
  /** Removes the bot. Its undelivered messages stay with the platform. Safe to call for an unknown bot. */
  removeBot(botId: string): Promise<void>;
  /** Sets the listener for bot state changes. Called once, before any bot is added. */
  onBotState(listener: (botId: string, state: LoginState) => void): void;
}

export interface HostedBot {
  readonly id: string;
  readonly token: string;
}

/** Makes the test for a part of the contract, which a connector implements if it has this member. */
function has<Part extends object>(member: keyof Part & string) {
  return (connector: object): connector is Part => member in connector;
}

export const isMessenger = has<Messenger>('send');
export const hasWindow = has<HasWindow>('askToReply');
export const dropsDuplicates = has<DropsDuplicates>('dropsDuplicates');
export const dropsCaptions = has<DropsCaptions>('dropsCaption');
export const invitesPeople = has<InvitesPeople>('inviteUrl');
export const showsTyping = has<ShowsTyping>('showTyping');
export const fetchesFiles = has<FetchesFiles>('fetchFile');
export const takesWebhooks = has<TakesWebhooks>('webhook');
export const sharesLogin = has<SharesLogin>('sharedLogin');
export const hostsBots = has<HostsBots>('addBot');
export const takesMessages = has<TakesMessages>('onMessages');
