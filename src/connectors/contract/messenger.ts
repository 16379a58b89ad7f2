import type { Platform } from '../../base/platform.ts';

/**
 * By which of the gateway's logins at a platform something comes and goes: a bot that an account brought (the id of its
 * BotToken), or the one that all accounts share.
 */
export type LoginRef = { readonly kind: 'bot_token'; readonly id: string } | { readonly kind: 'shared' };

/** Somebody at a platform, as one login sees them. */
export interface Address {
  readonly login: LoginRef;
  /** The platform's lasting name for the other side, as text. */
  readonly remoteId: string;
}

/** A platform by which people and agents write to each other: the messaging half of a connector. */
export interface Messenger {
  readonly platform: Platform;
  /**
   * Throws GatewayError `send_failed` when the platform takes no text that long, or no caption; counted as the platform
   * counts.
   */
  checkText(text: string, isCaption: boolean): void;
  /**
   * Sends one message; settles before `signal` aborts. Never rejects for what the platform says: that is an outcome.
   */
  send(message: OutboundMessage, signal: AbortSignal): Promise<SendOutcome>;
}

export interface OutboundMessage {
  /** Our id: what a platform echoes or de-duplicates by, where it can. */
  readonly messageId: string;
  readonly to: Address;
  /** Empty only with attachments; else the caption of the first of them. */
  readonly text: string;
  readonly attachments: readonly OutboundFile[];
}

export interface OutboundFile {
  readonly name: string;
  readonly mime: string;
  readonly sizeBytes: number;
  /** The bytes, from the beginning at every call. */
  open(): AsyncIterable<Uint8Array>;
}

/** How sending ended. */
export type SendOutcome =
  | { readonly kind: 'sent'; readonly platformMessageIds: readonly string[] }
  /** The platform took nothing and will not; `reason` is in its own words. */
  | { readonly kind: 'refused'; readonly reason: string; readonly isAddressGone: boolean }
  /** The platform took nothing now: ask again after so long. */
  | { readonly kind: 'later'; readonly reason: string; readonly afterMs: number }
  /** The other side must write first (WhatsApp's service window). */
  | { readonly kind: 'window_closed' }
  /** It may have arrived or not; nobody can tell. `sentIds`: of what certainly has. */
  | { readonly kind: 'unknown'; readonly reason: string; readonly sentIds: readonly string[] };

/** A platform on which one may only write to people who have written lately. */
export interface HasWindow {
  /** For so long after somebody wrote one may write to them, in milliseconds. */
  readonly windowMs: number;
  /**
   * Asks somebody to write again, so that `text` can be sent to them then: all that passes a closed window. Outcomes
   * are those of `send`.
   */
  askToReply(to: Address, text: string, signal: AbortSignal): Promise<SendOutcome>;
}

/**
 * A platform that drops what it gets a second time under the same `messageId`: what was under way when the gateway died is
 * sent again. On any other nobody can tell whether it arrived.
 */
export interface DropsDuplicates {
  readonly dropsDuplicates: true;
}

/** A platform that shows no caption with some files, and has the text left out. */
export interface DropsCaptions {
  dropsCaption(file: OutboundFile): Promise<boolean>;
}

/** A platform that can show that somebody types. */
export interface ShowsTyping {
  /** An indicator lasts less than this on the other side, in milliseconds. */
  readonly typingRepeatMs: number;
  /** Best effort; never rejects. */
  showTyping(to: Address, signal: AbortSignal): Promise<void>;
}

/** A platform from which a file's bytes can be had, now and again later. */
export interface FetchesFiles {
  /**
   * Opens the bytes of `ref` (InboundFile). Rejects with GatewayError `file_gone` when the platform has them no more,
   * `platform_failed` otherwise.
   */
  fetchFile(login: LoginRef, ref: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
}

/** A file that somebody sent, not yet fetched. */
export interface InboundFile {
  readonly name: string;
  readonly mime: string;
  /** Null: the platform does not tell. */
  readonly sizeBytes: number | null;
  /** What `fetchFile` takes; null: the platform does not give files that large away. */
  readonly ref: string | null;
}

export interface InboundMessage {
  readonly from: Address;
  /** Another name of the same person, by which older conversations may be known (a phone number). */
  readonly alias: string | null;
  readonly remoteName: string | null;
  /** Unique within the conversation. */
  readonly platformMessageId: string;
  readonly text: string;
  readonly sentAt: string;
  readonly files: readonly InboundFile[];
}

/** What became of an inbound message; all but `failed` may be acknowledged to the platform. */
export type Intake =
  | 'stored'
  | 'duplicate'
  /** Nobody's: the shared login does not know whom this person writes to. */
  | 'unbound';

/** The domain's side of a messenger. Its promises settle once what they tell of is on disk. */
export interface MessageIntake {
  received(message: InboundMessage): Promise<Intake>;
  /** The other side changed what it wrote; unknown messages are ignored. */
  edited(from: Address, platformMessageId: string, text: string): Promise<void>;
  /** The other side cannot be written to any more, or again. */
  reachable(address: Address, isReachable: boolean): Promise<void>;
  /** The same person has another lasting name from now on, and perhaps another alias. */
  renamed(before: Address, remoteId: string, alias: string | null): Promise<void>;
  /**
   * What a platform says of a sent message later on. False: it is being sent right now, and what came of that is not
   * written yet; tell it again.
   */
  followed(login: LoginRef, sent: SentMessage, status: LaterStatus): Promise<boolean>;
  /**
   * Somebody showed the token of an invite or deep link to the shared login: from now on they write to its account.
   * False: the token is unknown, used or too old.
   */
  bind(from: Address, remoteName: string | null, token: string): Promise<boolean>;
}

/** A sent message as its platform names it later on. */
export interface SentMessage {
  readonly platformMessageId: string;
  /** Ours, where the platform echoes it; tells of messages of which we never learned what the platform calls them. */
  readonly messageId: string | null;
}

export type LaterStatus =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'window_closed' };

/** Where a login notes what it has acknowledged to its platform and not told yet; on disk once a promise settles. */
export interface LoginNotes {
  /** Null: there is no note. */
  read(loginKey: string): Promise<string | null>;
  /** In place of the former one; null: none. */
  write(loginKey: string, note: string | null): Promise<void>;
}

/** A platform on which people write to us. */
export interface TakesMessages {
  /** Sets who is told of what they write. Set once, before `start`. */
  onMessages(intake: MessageIntake): void;
}

/** A platform on which people become contacts of an account by a link with its invite token in it. */
export interface InvitesPeople {
  /** Null: the platform has not told yet where the link leads. */
  inviteUrl(token: string): string | null;
}

/** A platform that calls us over HTTP. */
export interface TakesWebhooks {
  readonly webhooks: {
    readonly methods: readonly WebhookRequest['method'][];
    /** Headers that are read, in lower case. */
    readonly headers: readonly string[];
  };
  /**
   * What can be said before anything of the body is read: the answer to a POST that cannot be the platform's; null: it
   * may be.
   */
  refuses(request: Pick<WebhookRequest, 'loginKey' | 'header'>): WebhookReply | null;
  /** Never rejects. Nothing is acknowledged before it is stored. */
  webhook(request: WebhookRequest): Promise<WebhookReply>;
}

export interface WebhookRequest {
  readonly method: 'get' | 'post';
  /** The last part of the path: which login is called. */
  readonly loginKey: string;
  readonly query: Readonly<Record<string, string>>;
  /** By lower-case name; '' when absent. */
  header(name: string): string;
  /** As it came: signatures are made over it. */
  readonly body: Uint8Array;
}

export interface WebhookReply {
  readonly status: 200 | 400 | 401 | 403 | 404 | 503;
  readonly text: string;
}

/** How the gateway stands with a login of its own. */
export interface LoginState {
  /** As people see it there, such as `@my_bot`; null until the platform has told. */
  readonly name: string | null;
  /** `ok`, or what is wrong, in the platform's words. */
  readonly status: string;
}

/** A platform with a login that all accounts share. */
export interface SharesLogin {
  /** Null: the operator has set up none. */
  sharedLogin(): LoginState | null;
}

/** Bots that accounts bring to a platform. */
export interface HostsBots {
  /**
   * Logs the bot in and follows it from then on, also when the platform cannot be reached now: the state says so.
   * Rejects with GatewayError `bot_refused` and the platform's words, or `bot_token_taken`; then it is not followed.
   */
  addBot(bot: HostedBot): Promise<LoginState>;
  /** Forgets it; what it still has to tell is left to the platform. Safe to call for a bot it does not have. */
  removeBot(botId: string): Promise<void>;
  /** Whom to tell when a bot's state changes. Set once, before any bot is added. */
  onBotState(listener: (botId: string, state: LoginState) => void): void;
}

export interface HostedBot {
  readonly id: string;
  readonly token: string;
}

export function isMessenger(connector: object): connector is Messenger {
  return 'send' in connector;
}

export function hasWindow(connector: object): connector is HasWindow {
  return 'askToReply' in connector;
}

export function dropsDuplicates(connector: object): connector is DropsDuplicates {
  return 'dropsDuplicates' in connector;
}

export function dropsCaptions(connector: object): connector is DropsCaptions {
  return 'dropsCaption' in connector;
}

export function invitesPeople(connector: object): connector is InvitesPeople {
  return 'inviteUrl' in connector;
}

export function showsTyping(connector: object): connector is ShowsTyping {
  return 'showTyping' in connector;
}

export function fetchesFiles(connector: object): connector is FetchesFiles {
  return 'fetchFile' in connector;
}

export function takesWebhooks(connector: object): connector is TakesWebhooks {
  return 'webhook' in connector;
}

export function sharesLogin(connector: object): connector is SharesLogin {
  return 'sharedLogin' in connector;
}

export function hostsBots(connector: object): connector is HostsBots {
  return 'addBot' in connector;
}

export function takesMessages(connector: object): connector is TakesMessages {
  return 'onMessages' in connector;
}
