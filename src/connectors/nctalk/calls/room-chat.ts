import { randomUUID } from 'node:crypto';
import { channelAddress } from '../../../base/address.ts';
import { GatewayError } from '../../../base/errors.ts';
import { oneLine } from '../../../base/one-line.ts';
import type { Clock } from '../../../base/time.ts';
import type {
  ChatOutcome,
  InboundChat,
  OutboundChat,
  SendsChat,
  ShowsCallTyping,
} from '../../contract/call-leg.ts';
import type { PlatformFailure } from '../../kit/platform-failure.ts';
import type { PlatformHttp } from '../../kit/platform-http.ts';
import { linesOf } from '../../kit/text-lines.ts';
import { TalkApi, type TalkTraits } from '../client.ts';
import { answeredIn, filesOf, nameOf, plainText } from '../messages/message-text.ts';
import { sendToRoom } from '../messages/outbound.ts';
import type { Message } from '../objects.ts';
import { failureOf, type NextcloudUser, OcsClient } from '../ocs-client.ts';

export interface RoomChatDeps {
  readonly clock: Clock;
  readonly http: PlatformHttp;
  readonly user: NextcloudUser;
  readonly connectionId: string;
  readonly roomToken: string;
  readonly checkText: SendsChat['checkText'];
  /** Nextcloud has refused the bot, or cannot be asked. */
  failed(failure: PlatformFailure): void;
  /** Takes a message of somebody else. */
  take(message: InboundChat): void;
  /** Tells the people in the room that the agent is typing, or no longer. Returns false when there is no way to. */
  type(on: boolean): boolean;
}

const MAX_NAME = 100;
/** Of the words that a message answers. */
const MAX_QUOTE = 200;
/** Pages of one look. What is left comes with the next one. */
const MAX_PAGES = 5;
const LOOK_MS = 10_000;
/** Types of actors who are no people. */
const BOTS = 'bots';

/** The chat of a conversation while the bot is in its call. */
export class RoomChat implements SendsChat, ShowsCallTyping {
  readonly checkText: SendsChat['checkText'];
  readonly #deps: RoomChatDeps;
  readonly #api: TalkApi;
  readonly #over = new AbortController();
  #traits: TalkTraits | null = null;
  /** The last message that was there, or that has been read; null: not known yet. */
  #lastId: number | null = null;
  #isLooking = false;
  #isAskedAgain = false;

  constructor(deps: RoomChatDeps) {
    this.#deps = deps;
    this.checkText = deps.checkText;
    this.#api = new TalkApi(deps.http, new OcsClient(deps.http, deps.user));
  }

  /** What follows this message is read. Whoever comes again goes on where they were. */
  begin(lastId: number): void {
    this.#lastId ??= lastId;
  }

  /** There may be new messages. Looks once at a time. */
  look(): void {
    if (this.#lastId === null || this.#over.signal.aborted) return;
    this.#isAskedAgain = this.#isLooking;
    if (!this.#isLooking) void this.#lookNow();
  }

  close(): void {
    this.#over.abort();
  }

  async send({ text, files }: OutboundChat, signal: AbortSignal): Promise<ChatOutcome> {
    const { clock, roomToken: token, connectionId, type, failed } = this.#deps;
    type(false);
    const to = channelAddress({ kind: 'connection', id: connectionId }, token);
    const api = this.#api;
    const traits = await this.#traitsBy(signal).catch(failureOf);
    if (traits instanceof Error) return { kind: 'refused', reason: traits.message };
    const outcome = await sendToRoom(
      {
        api,
        clock,
        token,
        traits,
        signal,
        failed,
        former: null,
        addonBotId: '',
      },
      { messageId: randomUUID(), to, text, attachments: files },
    );
    if (outcome.kind === 'sent') return { kind: 'sent' };
    const reason = 'reason' in outcome ? outcome.reason : '';
    // A call has no queue: "later" means that Nextcloud has not taken it.
    return { kind: outcome.kind === 'unknown' ? 'unknown' : 'refused', reason };
  }

  async showTyping(): Promise<void> {
    if (!this.#deps.type(true)) throw new GatewayError('platform_not_connected');
  }

  async #traitsBy(signal: AbortSignal): Promise<TalkTraits> {
    this.#traits ??= await this.#api.traits({ signal });
    return this.#traits;
  }

  async #lookNow(): Promise<void> {
    this.#isLooking = true;
    try {
      for (let page = 0; page < MAX_PAGES && (await this.#lookOnce()); page++);
    } catch {
      // The next message brings these along.
    }
    this.#isLooking = false;
    if (!this.#isAskedAgain) return;
    this.#isAskedAgain = false;
    this.look();
  }

  /** Returns whether there may be more. */
  async #lookOnce(): Promise<boolean> {
    const { messages, nextId } = await this.#api.messagesAfter(this.#deps.roomToken, this.#lastId ?? 0, {
      deadlineMs: LOOK_MS,
      signal: this.#over.signal,
    });
    for (const message of messages) this.#see(message);
    if (nextId === null) return false;
    this.#lastId = nextId;
    return messages.length > 0;
  }

  #see(message: Message): void {
    const { user, take } = this.#deps;
    const { id, actorType, actorId, systemMessage, timestamp } = message;
    const isOwn = actorType === 'users' && actorId === user.userId;
    if (isOwn || actorType === BOTS || systemMessage !== '' || this.#over.signal.aborted) return;
    const answered = answeredIn(message, user.userId);
    const quote = answered?.text ? `> ${answered.author}: ${oneLine(answered.text, MAX_QUOTE)}` : '';
    const text = linesOf([quote, plainText(message, user.userId)]);
    const files = filesOf(message);
    if (text === '' && files.length === 0) return;
    const sentAt = new Date(timestamp * 1_000).toISOString();
    take({ id: `${id}`, sender: oneLine(nameOf(message), MAX_NAME), text, sentAt, files });
  }
}
