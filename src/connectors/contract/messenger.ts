import type { Address, LoginRef } from '../../base/address.ts';
import type { ShowsWriting } from './live-message.ts';

/** Messaging with people on a platform. The optional parts are what the platform can do beyond text. */
export interface Messenger {
  /** Sets the receiver of people's messages. Called once, before `start`. */
  onMessages(intake: MessageIntake): void;
  /** The longest text of one message, in the platform's characters, which models are told. Null: it is not known. */
  readonly maxText: number | null;
  /**
   * Throws GatewayError `send_failed` when the text, or caption, is longer than the platform accepts. Length is counted
   * the platform's way. `hasChoices`: it stands above buttons.
   */
  checkText(text: string, isCaption: boolean, hasChoices?: boolean): void;
  /**
   * Sends one message and settles before `signal` aborts. Platform errors are returned as outcomes, never as
   * rejections.
   */
  send(message: OutboundMessage, signal: AbortSignal): Promise<SendOutcome>;
  /**
   * Messages a second that the platform takes from the login that all accounts share; they take turns. Absent: it has no
   * such limit, or no such login.
   */
  readonly mostPerSecond?: number;
  readonly typing?: ShowsTyping;
  readonly live?: ShowsWriting;
  readonly files?: FetchesFiles;
  readonly window?: HasWindow;
  readonly captions?: DropsCaptions;
  /** Shows which message one answers. Elsewhere, its words stand in front. */
  readonly quotes?: true;
  /** Elsewhere, choices are a list in the text. */
  readonly choices?: OffersChoices;
  readonly reactions?: ShowsReactions;
  /** What helps when a message is refused, the most specific first. Without the flags g and y. */
  readonly remedies?: readonly Remedy[];
  /**
   * How long the platform drops a second message with the same `messageId`, even if the first was a webhook's answer, in
   * milliseconds; Infinity: always. Messages in flight when the gateway crashed are sent again within that time. After
   * it, and on any other platform, it is unknown whether they arrived.
   */
  readonly dropsDuplicatesForMs?: number;
}

export interface OutboundMessage {
  /** Our id, which platforms that support it echo or use for de-duplication. */
  readonly messageId: string;
  readonly to: Address;
  /** Empty only with attachments. With attachments, it is the caption of the first one. */
  readonly text: string;
  readonly attachments: readonly OutboundFile[];
  /** The platform's id of the message that it answers. Only for a platform that `quotes`. */
  readonly replyTo?: string;
  /** What the person may pick: distinct labels within the platform's limits. Only for a platform with `choices`. */
  readonly choices?: readonly string[];
  /** The platform's id of the message in which the beginning of the text is shown already (see ShowsWriting): it becomes the text. */
  readonly shownId?: string;
}

/** A platform with buttons. A press comes in as a message with a `choice`. */
export interface OffersChoices {
  readonly most: number;
  /** Longest label, in characters. */
  readonly longest: number;
}

/** A platform on which messages get reactions. */
export interface ShowsReactions {
  /** Adds a reaction to a message, or takes it back. Never rejects. `emoji`: one of Unicode, or the platform's name of its own. */
  react(to: Address, reaction: OutboundReaction, signal: AbortSignal): Promise<ReactionOutcome>;
}

export interface OutboundReaction {
  readonly platformMessageId: string;
  readonly emoji: string;
  readonly isAdded: boolean;
}

/** `reason`: the platform's own text. */
export type ReactionOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly reason: string };

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
  /** People's files can be downloaded, but none can be sent to them. */
  readonly isInboundOnly?: true;
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
  /** Somebody has spoken it, to be heard as a message. */
  readonly isVoiceNote?: true;
}

export interface InboundMessage {
  /** Its `person` is who wrote. */
  readonly from: Address;
  /** Another identifier of the same person that older conversations may use (a phone number). Null in channels. */
  readonly alias: string | null;
  /** Name of the space: of the person in a direct conversation, of the channel otherwise. */
  readonly remoteName: string | null;
  /** In a channel: the name of the person who wrote. Null in a direct conversation. */
  readonly senderName: string | null;
  /** Unique within the conversation. */
  readonly platformMessageId: string;
  readonly text: string;
  readonly sentAt: string;
  readonly files: readonly InboundFile[];
  /** The platform says that another bot wrote it. */
  readonly isFromBot?: boolean;
  /** What it answers. */
  readonly replyTo?: AnsweredMessage | undefined;
  /** The label of the button that the person has pressed, which is the text, too. */
  readonly choice?: string;
}

/** The message that another one answers, as far as the platform tells. */
export interface AnsweredMessage {
  readonly platformMessageId: string | null;
  /** Name of who wrote it. */
  readonly author: string | null;
  /** The words that the person has picked of it, or all of them; '' if the platform tells none. */
  readonly text: string;
  readonly files?: readonly InboundFile[];
}

/** A person has reacted to a message, or taken that back. */
export interface InboundReaction {
  readonly platformMessageId: string;
  /** Of Unicode, or the platform's name of one of its own. Null: the platform does not tell which was taken back. */
  readonly emoji: string | null;
  readonly isAdded: boolean;
  /** Name of the person. */
  readonly senderName: string | null;
}

/** Result of handing in an inbound message. All of these may be acknowledged to the platform. */
export type Intake =
  | 'stored'
  | 'duplicate'
  /** Of another bot, which has been answered too often in a row. It is counted. */
  | 'unheard'
  /**
   * The account stores as much as it may, and nothing of it was old enough to make room, which is counted; or it is being
   * deleted.
   */
  | 'full'
  /** Over the shared login, more than this chat, or this account, gets when people write. It is counted. */
  | 'flooded'
  /** The shared login does not know which account this person, or this channel, belongs to. */
  | 'unbound';

/** The domain's side of a messenger. Its promises settle once the change is on disk. */
export interface MessageIntake {
  received(message: InboundMessage): Promise<Intake>;
  /**
   * The other side has edited a message, or deleted it: `text` null. That may overtake the message, which is then stored as
   * it is by now.
   */
  edited(from: Address, platformMessageId: string, text: string | null): Promise<void>;
  /** Reactions to unknown messages are ignored, and those that change nothing. `from.person` has reacted. */
  reacted(from: Address, reaction: InboundReaction): Promise<void>;
  /** A person or channel, with all its threads, has become unreachable, or reachable again. */
  reachable(address: Address, isReachable: boolean): Promise<void>;
  /** The permanent identifier of a person or channel has changed, and possibly a person's alias too. */
  renamed(before: Address, spaceId: string, alias: string | null): Promise<void>;
  /**
   * Reports a later status of a sent message. Returns false while the message is still being sent and its outcome is
   * not stored yet; report the status again.
   */
  followed(login: LoginRef, sent: SentMessage, status: LaterStatus): Promise<boolean>;
  /**
   * Binds a person, or the channel in which they write, to an account after they sent an invite or deep-link token to
   * the shared login. Check first that the platform lets them decide over the channel. Returns false when the token is
   * unknown, used or expired, or when the channel belongs to another account.
   */
  bind(from: Address, remoteName: string | null, token: string): Promise<boolean>;
  /**
   * Waits for the next message to the conversation of `from`, which then becomes the answer of a webhook instead of
   * being sent. Call it before `received` or as soon as that resolves. Null: none was written within `withinMs`, at most
   * 120 s, or the client is `gone`; or the gateway is closing; or another webhook of the conversation, or too many
   * others, are waiting already. Messages with attachments are always sent.
   */
  awaitReply(from: Address, withinMs: number, gone: AbortSignal): Promise<AwaitedReply | null>;
  /**
   * Opens a file of a sent message, by our id and its position, for platforms that take files only once a person accepts
   * them. Null: it is gone.
   */
  sentFile(messageId: string, index: number): Promise<OutboundFile | null>;
}

/** A message that is to be the answer of the webhook that has waited for it. */
export interface AwaitedReply {
  readonly message: OutboundMessage;
  /**
   * Reports the outcome, as `send` would return it. Null: nothing of the message was written, and it is sent in the
   * usual way. Must be called within the time that `send` has, else the outcome is unknown.
   */
  settle(outcome: SendOutcome | null): void;
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
  log(
    level: 'debug' | 'info' | 'warn' | 'error',
    text: string,
    detail: Readonly<Record<string, unknown>>,
  ): void;
}

/** What a person can do about a failure, for the words in which the platform tells it. */
export interface Remedy {
  readonly words: RegExp;
  /** Plain text: one or two sentences. */
  readonly suggestion: string;
}
