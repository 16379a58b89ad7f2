import type { Connector } from '../../../src/connectors/contract/connector.ts';
import type { Gateway } from '../../support/gateway.ts';
import type { Seen } from '../../support/seen/seen.ts';
import type { Rule } from '../rule.ts';
import type { PayloadKind } from './payloads/payload-kind.ts';

/** A messenger with its gateway and the fake of its platform. Implement it for a new platform. */
export interface MessengerUnderTest {
  /** Declares what the messenger does. It is another instance than the gateway's, and never started. */
  readonly connector: Connector;
  readonly gateway: Gateway;
  /** Deadline in milliseconds for everything that should happen soon. */
  patienceMs: number;
  /**
   * Length of the longest text that the platform accepts, in characters of `textOf`. Null: with any of them, the API's own
   * limit comes first.
   */
  readonly textLimit: number | null;
  /** The character to measure it with; a letter of ASCII, unless the API's own limit comes first with that. */
  readonly textOf?: string;
  /** People can edit what they have written. */
  readonly canEdit: boolean;
  /** That a person reacts is seen only with what comes next, or after a minute. */
  readonly seesReactionsLate?: boolean;
  /** People can make themselves unreachable. */
  readonly canBlock: boolean;
  readonly faults: PlatformFaults;
  readonly login: LoginUnderTest;
  readonly webhook?: WebhookUnderTest;
  /** Absent where only one kind is sent. */
  readonly payloads?: PayloadsUnderTest;
  /** Adds a person with whom the gateway's account can exchange messages. */
  person(): Promise<PersonUnderTest>;
  /** Makes a channel with the gateway's account in it. Present where there are channels. */
  channel?(): ChannelUnderTest;
  /** The platform forgets what it has not delivered: it is in the history only. Present where it can happen. */
  forgetsSession?(): void;
  /** Rejects when the fake has found mistakes in the gateway's requests. */
  stop(): Promise<void>;
}

export type MessengerRule = Rule<MessengerUnderTest>;

/** Whether agents can send files. */
export function sendsFiles({ connector }: Pick<MessengerUnderTest, 'connector'>): boolean {
  const { files } = connector.provides.messenger ?? {};
  return files !== undefined && files.isInboundOnly !== true;
}

/** Settings with which every gateway under test runs. */
export const GATEWAY_ENV = { SVC_FILES_MAX_SIZE_MB: '1', SVC_DM_TIMEOUT_TEXT: 'off' } as const;

/** A person at the platform, in their conversation with the account. */
export interface PersonUnderTest {
  /** The platform's permanent id of the person. */
  readonly remoteId: string;
  readonly name: string;
  writes(text: string): WrittenMessage;
  sendsFile(file: TestFile, caption: string): WrittenMessage;
  /** The platform delivers the message again, as after a lost acknowledgement. */
  repeats(message: WrittenMessage): void;
  /** What the person has received from the account, in order. */
  received(): readonly ReceivedMessage[];
  /** What the platform's app shows of a message of the account. */
  sees(platformMessageId: string): Seen;
  /** Present where people can edit. */
  edits?(message: WrittenMessage, text: string): void;
  /** The person answers a message of theirs or of the account. Present where a message can answer another one. */
  answers?(platformMessageId: string, text: string): WrittenMessage;
  /** Presses a button. Present with `choices`. */
  presses?(platformMessageId: string, label: string): void;
  /** Reacts to a message of the account with 👍, or takes it back. Present with `reactions`. */
  reacts?(platformMessageId: string, isAdded: boolean): void;
  /** The account's reactions to a message, as the platform names them. Present with `reactions`. */
  reactionsTo?(platformMessageId: string): readonly string[];
  /** Number of times that the typing indicator was shown or prolonged. Present with `typing`. */
  typingShown?(): number;
  /** Present where people can make themselves unreachable. */
  blocks?(): void;
  unblocks?(): void;
  /** Lets the time pass within which the person can be written to. Present with `window`. */
  closesWindow?(): void;
  /** Texts quoted in the requests to write again that the person has received. Present with `window`. */
  askedToReply?(): readonly string[];
}

/** What a platform sends of a person in their conversation with the account. */
export interface PayloadsUnderTest {
  readonly kinds: Readonly<Record<string, PayloadKind>>;
  /** Delivers payloads of a person as the platform does, in this order. */
  deliver(person: PersonUnderTest, payload: PayloadKind['payload']): void;
  /** Absent where people cannot edit, or where the platform is asked for messages, which come as they are by then. */
  readonly overtakes?: OvertakesUnderTest;
}

/** What happens to a message while it is on its way. */
export interface OvertakesUnderTest {
  readonly tellsDeletions: boolean;
  /** Delivers the edit of a message, or its deletion (null), and then the message. Returns what delivers the message again. */
  deliver(person: PersonUnderTest, text: string, change: string | null): () => void;
}

/** A channel of the platform, in which somebody writes. */
export interface ChannelUnderTest {
  /** The platform's permanent id of the channel. */
  readonly id: string;
  readonly name: string;
  /** Name of who writes. */
  readonly memberName: string;
  /** Every message belongs to a thread: one outside begins a thread of its own, in which it is answered. */
  readonly isAllThreads?: boolean;
  /** Makes a thread that no message begins, and returns its id. Absent: each begins with a message. */
  opensThread?(): string;
  /** Returns the platform's id of the message. `thread`: its id, which is that of the message that began it. */
  writes(text: string, thread?: string): string;
  /** What the account has written, in order. */
  received(): readonly { readonly text: string; readonly thread: string | null }[];
}

export interface TestFile {
  readonly name: string;
  readonly mime: string;
  readonly bytes: Buffer;
}

export interface WrittenMessage {
  readonly platformMessageId: string;
  /** Whether the platform will not deliver the message again. */
  isAcknowledged(): boolean;
}

/** A message as the person sees it. One message of an agent can become several. */
export interface ReceivedMessage {
  readonly platformMessageId: string;
  /** The text, or the caption of the file; '' without either. */
  readonly text: string;
  readonly file: Buffer | null;
  /** The platform's id of the message that it shows as answered. */
  readonly quotes?: string | null;
}

/** Faults of the next request that sends a text message. */
export interface PlatformFaults {
  /** Refuses it for good. Returns the platform's words. */
  refuse(): string;
  /** Refuses it for now. Returns the milliseconds after which the platform accepts it. */
  throttle(): number;
  /** Carries it out and loses the answer. */
  loseAnswer(): void;
  /** Never answers it. Resolves when the request is there, after it was carried out if `isDone`. */
  hold(isDone: boolean): Promise<void>;
}

/** The gateway's login at the platform. */
export interface LoginUnderTest {
  /** The platform stops accepting the login. Returns its words, which become the login's status. */
  kill(): string;
  revive(): void;
  readonly isDead: boolean;
  /** The interval at which the connector checks a dead login, in milliseconds. */
  readonly recheckMs: number;
}

/** Where the platform delivers. */
export interface WebhookUnderTest {
  readonly url: string;
  /** A delivery of a text by a person, as the platform makes it. */
  delivery(person: PersonUnderTest, text: string): Delivery;
  /** A delivery of these bytes with valid credentials. */
  signed(body: string): Delivery;
  /** The same with credentials that somebody made up. */
  forged(delivery: Delivery): Delivery;
}

export interface Delivery {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
