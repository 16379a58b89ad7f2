import * as z from 'zod';
import { type Address, directAddress, type LoginRef } from '../../base/address.ts';
import { unreachable } from '../../base/assert.ts';
import type { Clock } from '../../base/time.ts';
import type { MessageIntake, MessengerObserver } from '../contract/messenger.ts';
import { CONNECTED, FirstTimes } from '../kit/newcomers.ts';
import { SentMessages } from './bot-api-types.ts';
import type { BotApi } from './client.ts';
import type { Reading, ReadMessage } from './update-reading.ts';

type Press = Extract<Reading, { readonly kind: 'press' }>;

/** https://core.telegram.org/bots/features#deep-linking */
const START_WITH_TOKEN = /^\/start ([\w-]{1,64})$/;

const LINK_OVER = 'This link is no longer valid. Please ask for a new one.';
const WHO_ARE_YOU =
  'This bot does not know which agent to connect you to. Please ask for an invite link and open it here.';

const GREETING_DEADLINE_MS = 20_000;

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

  constructor(deps: UpdateReceiverDeps) {
    this.#deps = deps;
  }

  /** Resolves once the reading is on disk. Rejects when it could not be stored. */
  async take(reading: Reading): Promise<void> {
    const { intake, observer } = this.#deps;
    if (reading.kind === 'nothing') return observer.count('update_ignored');
    if (reading.kind === 'unreadable') return observer.count('update_skipped');
    const direct = directAddress(this.#deps.ref, reading.person.remoteId);
    if (reading.kind === 'reachable') {
      await intake.reachable(direct, reading.isReachable);
      return observer.count('update_read');
    }
    if (reading.kind === 'reaction') {
      const { messageId: platformMessageId, changes } = reading;
      for (const change of changes)
        await intake.reacted(direct, { platformMessageId, ...change, senderName: null });
      return observer.count('update_read');
    }
    const from = { ...direct, thread: reading.thread };
    switch (reading.kind) {
      case 'message':
        await this.#takeMessage(from, reading);
        break;
      case 'edit':
        await intake.edited(from, reading.messageId, reading.text);
        break;
      case 'press':
        await this.#takePress(from, reading);
        break;
      default:
        return unreachable(reading);
    }
    observer.count('update_read');
  }

  async #takeMessage(from: Address, message: ReadMessage): Promise<void> {
    const { intake, ref } = this.#deps;
    const { person, text } = message;
    const token = ref.kind === 'shared' ? START_WITH_TOKEN.exec(text)?.[1] : undefined;
    if (token !== undefined) {
      const isBound = await intake.bind(from, person.remoteName, token);
      this.#tell(person.remoteId, isBound ? CONNECTED : LINK_OVER);
      return;
    }
    const taken = await intake.received({
      from,
      alias: null,
      remoteName: person.remoteName,
      senderName: null,
      platformMessageId: message.messageId,
      text,
      sentAt: message.sentAt,
      files: message.files,
      replyTo: message.replyTo,
    });
    if (taken === 'unbound' && this.#strangers.isFirst(person.remoteId))
      this.#tell(person.remoteId, WHO_ARE_YOU);
  }

  /** The button shows that it waits until Telegram is told that the press has arrived. */
  async #takePress(from: Address, { person, queryId, messageId, label }: Press): Promise<void> {
    const { intake, api, clock, observer } = this.#deps;
    await intake.received({
      from,
      alias: null,
      remoteName: person.remoteName,
      senderName: null,
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
  }

  #tell(remoteId: string, text: string): void {
    const { api, observer } = this.#deps;
    const parameters = { chat_id: Number(remoteId), text };
    api
      .call('sendMessage', parameters, { deadlineMs: GREETING_DEADLINE_MS }, SentMessages)
      .catch(() => observer.count('greeting_failed'));
  }
}
