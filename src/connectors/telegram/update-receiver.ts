import * as z from 'zod';
import { type Address, channelAddress, directAddress, type LoginRef } from '../../base/address.ts';
import { unreachable } from '../../base/assert.ts';
import { LimitedMap } from '../../base/limited-map.ts';
import type { Clock } from '../../base/time.ts';
import type { InboundMessage, Intake, MessageIntake, MessengerObserver } from '../contract/messenger.ts';
import { CONNECTED, FirstTimes } from '../kit/newcomers.ts';
import { ChatMember, SentMessages } from './bot-api-types.ts';
import { type BotApi, failureOf } from './client.ts';
import { placeIn } from './outbound.ts';
import type { Place, Reading, ReadMessage } from './update-reading.ts';

type Reaction = Extract<Reading, { readonly kind: 'reaction' }>;
type Press = Extract<Reading, { readonly kind: 'press' }>;

/** https://core.telegram.org/bots/features#deep-linking */
const START_WITH_TOKEN = /^\/start ([\w-]{1,64})$/;
/** Who decides over a group (https://core.telegram.org/bots/api#chatmember). */
const ADMINISTRATORS: ReadonlySet<string> = new Set(['creator', 'administrator']);

const LINK_OVER = 'This link is no longer valid. Please ask for a new one.';
const WHO_ARE_YOU =
  'This bot does not know which agent to connect you to. Please ask for an invite link and open it here.';
const WHOSE_GROUP =
  'This group is not connected to an agent. An administrator can connect it, by /start and the token of an invite link.';
const GROUP_CONNECTED = 'This group is connected. The agent receives messages that mention me or answer me.';
const NOT_ALLOWED = 'Only an administrator of the group can decide that.';

const GREETING_DEADLINE_MS = 20_000;
/** Of each login: messages that were heard in groups, so that their edits are. */
const MAX_HEARD = 5_000;

export type TelegramObserver = MessengerObserver<
  | 'update_read'
  | 'update_failed'
  | 'update_skipped'
  | 'update_ignored'
  | 'poll_failed'
  | 'webhook_refused'
  | 'greeting_failed'
  | 'throttled'
>;

export interface UpdateReceiverDeps {
  readonly ref: LoginRef;
  readonly api: BotApi;
  readonly clock: Clock;
  readonly intake: MessageIntake;
  readonly observer: TelegramObserver;
}

/** Passes updates to the domain. Its own replies to people are best effort and block nothing. */
export class UpdateReceiver {
  readonly #deps: UpdateReceiverDeps;
  readonly #strangers = new FirstTimes();
  readonly #heard = new LimitedMap<true>(MAX_HEARD);

  constructor(deps: UpdateReceiverDeps) {
    this.#deps = deps;
  }

  /** Resolves once the reading is on disk. Rejects when it could not be stored. */
  async take(reading: Reading): Promise<void> {
    const { observer } = this.#deps;
    if (reading.kind === 'unreadable') return observer.count('update_skipped');
    observer.count((await this.#take(reading)) ? 'update_read' : 'update_ignored');
  }

  /** Returns whether it says anything that matters. */
  async #take(reading: Exclude<Reading, { readonly kind: 'unreadable' }>): Promise<boolean> {
    const { intake, ref } = this.#deps;
    switch (reading.kind) {
      case 'nothing':
        return false;
      case 'message':
        return !reading.isOverheard && (await this.#takeMessage(reading));
      case 'edit':
        return await this.#takeEdit(reading.message);
      case 'press':
        return await this.#takePress(reading);
      case 'reachable':
        await intake.reachable(addressOf(ref, reading), reading.isReachable);
        return true;
      case 'migrated': {
        const now = channelAddress(ref, reading.toId);
        await intake.renamed(channelAddress(ref, reading.fromId), reading.toId, null);
        await intake.reachable(now, true);
        return true;
      }
      case 'reaction':
        for (const change of reading.changes) await this.#takeReaction(reading, change);
        return true;
      default:
        return unreachable(reading);
    }
  }

  async #takeMessage(message: ReadMessage): Promise<true> {
    const { ref } = this.#deps;
    const token = ref.kind === 'shared' ? START_WITH_TOKEN.exec(message.text)?.[1] : undefined;
    if (token !== undefined) this.#tell(message, await this.#bind(message, token));
    else await this.#receive(message);
    return true;
  }

  async #receive(message: ReadMessage): Promise<Intake> {
    const { intake, ref } = this.#deps;
    const taken = await intake.received({
      from: addressOf(ref, message),
      alias: null,
      ...namesIn(message),
      platformMessageId: message.messageId,
      text: message.text,
      sentAt: message.sentAt,
      files: message.files,
      replyTo: message.replyTo,
    });
    if (message.group) this.#heard.set(keyOf(message), true);
    if (taken === 'unbound' && this.#strangers.isFirst((message.group ?? message.person).remoteId))
      this.#tell(message, message.group ? WHOSE_GROUP : WHO_ARE_YOU);
    return taken;
  }

  /** Connects the person, or the group, to an account. Returns what to tell them. */
  async #bind(message: ReadMessage, token: string): Promise<string> {
    const { intake, ref } = this.#deps;
    const { group, person } = message;
    if (group && !(await this.#mayDecide(group.remoteId, person.remoteId))) return NOT_ALLOWED;
    const isBound = await intake.bind(addressOf(ref, message), (group ?? person).remoteName, token);
    if (!isBound) return LINK_OVER;
    return group ? GROUP_CONNECTED : CONNECTED;
  }

  /** Only administrators write in the name of the group. */
  async #mayDecide(groupId: string, personId: string): Promise<boolean> {
    if (personId === groupId) return true;
    const parameters = { chat_id: Number(groupId), user_id: Number(personId) };
    const options = { deadlineMs: GREETING_DEADLINE_MS };
    try {
      const { status } = await this.#deps.api.call('getChatMember', parameters, options, ChatMember);
      return ADMINISTRATORS.has(status);
    } catch (error) {
      // What cannot be found out is not allowed.
      if (failureOf(error).kind === 'refused') return false;
      throw error;
    }
  }

  /**
   * In a group, a message may become one for the bot when it is edited. What was never heard stays unheard otherwise, and
   * is not kept.
   */
  async #takeEdit(message: ReadMessage): Promise<boolean> {
    const { intake, ref } = this.#deps;
    if (message.group) {
      const wasHeard = this.#heard.get(keyOf(message)) === true;
      if (!wasHeard && message.isOverheard) return false;
      if (!wasHeard && (await this.#receive(message)) !== 'duplicate') return true;
    }
    await intake.edited(addressOf(ref, message), message.messageId, message.text);
    return true;
  }

  async #takeReaction(reading: Reaction, change: Reaction['changes'][number]): Promise<void> {
    const { intake, ref } = this.#deps;
    const { messageId: platformMessageId } = reading;
    const { senderName } = namesIn(reading);
    await intake.reacted(addressOf(ref, reading), { platformMessageId, ...change, senderName });
  }

  /** The button shows that it waits until Telegram is told that the press has arrived. */
  async #takePress(press: Press): Promise<true> {
    const { intake, api, clock, observer, ref } = this.#deps;
    const { queryId, messageId, label } = press;
    await intake.received({
      from: addressOf(ref, press),
      alias: null,
      ...namesIn(press),
      platformMessageId: `press ${queryId}`,
      text: label,
      sentAt: clock.nowIso(),
      files: [],
      replyTo: { platformMessageId: messageId, author: null, text: '' },
      choice: label,
    });
    const options = { deadlineMs: GREETING_DEADLINE_MS };
    api
      .call('answerCallbackQuery', { callback_query_id: queryId }, options, z.unknown())
      .catch(() => observer.count('greeting_failed'));
    return true;
  }

  #tell({ group, person, thread }: Place, text: string): void {
    const { api, observer } = this.#deps;
    const parameters = { ...placeIn((group ?? person).remoteId, thread), text };
    api
      .call('sendMessage', parameters, { deadlineMs: GREETING_DEADLINE_MS }, SentMessages)
      .catch(() => observer.count('greeting_failed'));
  }
}

function addressOf(login: LoginRef, { person, group, thread }: Place): Address {
  const { remoteId } = person;
  return group
    ? { login, space: { kind: 'channel', id: group.remoteId }, thread, person: remoteId }
    : { ...directAddress(login, remoteId), thread };
}

/** In a group, the conversation is not named after who writes. */
function namesIn({ person, group }: Place): Pick<InboundMessage, 'remoteName' | 'senderName'> {
  return group
    ? { remoteName: group.remoteName, senderName: person.remoteName }
    : { remoteName: person.remoteName, senderName: null };
}

function keyOf({ group, messageId }: ReadMessage): string {
  return `${group?.remoteId} ${messageId}`;
}
