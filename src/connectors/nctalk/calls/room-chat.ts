import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { GatewayError } from '../../../base/errors.ts';
import { isRecord } from '../../../base/json.ts';
import { oneLine } from '../../../base/one-line.ts';
import { field } from '../../../base/platform-json.ts';
import type {
  ChatOutcome,
  InboundChat,
  OutboundChat,
  SendsChat,
  ShowsCallTyping,
} from '../../contract/call-leg.ts';
import type { InboundFile, OutboundMessage, SendOutcome } from '../../contract/messenger.ts';
import type { PlatformHttp } from '../../kit/platform-http.ts';
import { type NextcloudUser, OcsClient } from '../ocs-client.ts';

/** The chat of conversations, as the connector's messages have it. */
export interface TalkChat {
  readonly checkText: SendsChat['checkText'];
  /** Sends a message to a room. */
  send(
    user: NextcloudUser,
    roomToken: string,
    message: Pick<OutboundMessage, 'messageId' | 'text' | 'attachments'>,
    signal: AbortSignal,
  ): Promise<SendOutcome>;
  /** Returns what a message of Talk's API says. */
  read(message: Readonly<Record<string, unknown>>): {
    readonly text: string;
    readonly files: readonly InboundFile[];
  };
}

export interface RoomChatDeps {
  readonly http: PlatformHttp;
  readonly user: NextcloudUser;
  readonly roomToken: string;
  readonly chat: TalkChat;
  /** Takes a message of somebody else. */
  take(message: InboundChat): void;
  /** Tells the people in the room that the bot is typing, or no longer. Null: there is no way to. */
  typing(): ((on: boolean) => void) | null;
}

const MAX_NAME = 100;
const PAGE = 100;
/** Pages of one look. What is left comes with the next one. */
const MAX_PAGES = 5;
const LOOK_MS = 10_000;
const USERS = 'users';
/** Talk's own bots and commands. */
const BOTS: ReadonlySet<string> = new Set(['bots']);

/** https://nextcloud-talk.readthedocs.io/en/latest/chat/ */
const Message = z.looseObject({
  id: z.number(),
  actorType: z.string(),
  actorId: z.string(),
  actorDisplayName: field(z.string()),
  timestamp: z.number(),
  systemMessage: field(z.string()),
  messageType: field(z.string()),
});
const Messages = z.array(z.unknown());

/** The chat of a room while the bot is in its call. */
export class RoomChat implements SendsChat, ShowsCallTyping {
  readonly checkText: SendsChat['checkText'];
  readonly #deps: RoomChatDeps;
  readonly #ocs: OcsClient;
  /** The last message that has been read; null: none counts yet. */
  #lastId: number | null = null;
  #looking: Promise<void> | null = null;
  #isAskedAgain = false;
  #isOver = false;

  constructor(deps: RoomChatDeps) {
    this.#deps = deps;
    this.checkText = deps.chat.checkText;
    this.#ocs = new OcsClient(deps.http, deps.user);
  }

  /** What follows this message is read. Later calls only go on. */
  begin(lastId: number): void {
    this.#lastId ??= lastId;
  }

  /** There may be new messages. Looks once at a time. */
  look(): void {
    if (this.#isOver || this.#lastId === null) return;
    if (this.#looking !== null) {
      this.#isAskedAgain = true;
      return;
    }
    this.#looking = this.#lookAll()
      .catch(() => undefined)
      .finally(() => {
        this.#looking = null;
        if (!this.#isAskedAgain) return;
        this.#isAskedAgain = false;
        this.look();
      });
  }

  close(): void {
    this.#isOver = true;
  }

  async send({ text, files }: OutboundChat, signal: AbortSignal): Promise<ChatOutcome> {
    const { chat, user, roomToken } = this.#deps;
    this.#deps.typing()?.(false);
    const message = { messageId: randomUUID(), text, attachments: files };
    const outcome = await chat.send(user, roomToken, message, signal);
    if (outcome.kind === 'sent') return { kind: 'sent' };
    const reason = 'reason' in outcome ? outcome.reason : '';
    // A call has no queue: "later" means that Nextcloud has not taken it.
    return { kind: outcome.kind === 'unknown' ? 'unknown' : 'refused', reason };
  }

  async showTyping(): Promise<void> {
    const typing = this.#deps.typing();
    if (typing === null) throw new GatewayError('platform_not_connected');
    typing(true);
  }

  async #lookAll(): Promise<void> {
    for (let page = 0; page < MAX_PAGES && !this.#isOver; page++) if ((await this.#lookOnce()) < PAGE) return;
  }

  /** Returns the number of messages. */
  async #lookOnce(): Promise<number> {
    const { data } = await this.#ocs.ask(
      {
        method: 'GET',
        path: `apps/spreed/api/v1/chat/${this.#deps.roomToken}`,
        query: {
          lookIntoFuture: 1,
          lastKnownMessageId: this.#lastId ?? 0,
          timeout: 0,
          limit: PAGE,
          setReadMarker: 0,
          noStatusUpdate: 1,
        },
        deadlineMs: LOOK_MS,
      },
      Messages,
    );
    for (const entry of data) this.#see(entry);
    return data.length;
  }

  #see(entry: unknown): void {
    const { data: message } = Message.safeParse(entry);
    if (message === undefined || !isRecord(entry) || this.#isOver) return;
    if (message.id <= (this.#lastId ?? 0)) return;
    this.#lastId = message.id;
    const { id, actorType, actorId, actorDisplayName = '', timestamp, systemMessage } = message;
    const isOwn = actorType === USERS && actorId === this.#deps.user.userId;
    if (isOwn || systemMessage || BOTS.has(actorType)) return;
    const { text, files } = this.#deps.chat.read(entry);
    if (text === '' && files.length === 0) return;
    const sender = oneLine(actorDisplayName, MAX_NAME) || actorId;
    const sentAt = new Date(timestamp * 1_000).toISOString();
    this.#deps.take({ id: `${id}`, sender, text, sentAt, files });
  }
}
