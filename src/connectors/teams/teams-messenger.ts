import type { Address, LoginRef } from '../../base/address.ts';
import { assert } from '../../base/assert.ts';
import { GatewayError } from '../../base/errors.ts';
import type {
  FetchesFiles,
  MessageIntake,
  Messenger,
  OutboundMessage,
  Remedy,
  SendOutcome,
  ShowsTyping,
} from '../contract/messenger.ts';
import type { TeamsApi } from './client.ts';
import { postTyping, type SendDeps, sendMessage } from './messages/send-message.ts';
import { checkLength } from './messages/text.ts';

const TYPING_DEADLINE_MS = 5_000;

export interface TeamsMessengerDeps {
  readonly sending: SendDeps;
  /** Null: files are switched off. */
  readonly downloads: Pick<TeamsApi, 'openFile'> | null;
}

/** Chats with people, group chats and channels. Teams does not drop duplicates. */
export class TeamsMessenger implements Messenger, ShowsTyping {
  readonly typing: ShowsTyping = this;
  readonly remedies = TEAMS_REMEDIES;
  readonly files?: FetchesFiles;
  /** Teams shows the indicator for about three seconds. */
  readonly typingRepeatMs = 3_000;
  readonly #sending: SendDeps;
  #intake: MessageIntake | null = null;

  constructor({ sending, downloads }: TeamsMessengerDeps) {
    this.#sending = sending;
    if (downloads !== null)
      this.files = { fetchFile: (login, ref, signal) => fetchFile(downloads, login, ref, signal) };
  }

  onMessages(intake: MessageIntake): void {
    this.#intake = intake;
  }

  get intake(): MessageIntake {
    assert(this.#intake !== null, 'onMessages comes before webhooks');
    return this.#intake;
  }

  checkText(text: string): void {
    checkLength(text);
  }

  async send(message: OutboundMessage, signal: AbortSignal): Promise<SendOutcome> {
    return await sendMessage(this.#sending, message, signal);
  }

  async showTyping({ space, thread }: Address, signal: AbortSignal): Promise<void> {
    try {
      const reference = await this.#sending.references.find(space);
      if (reference === null) return;
      await postTyping(this.#sending.api, { reference, thread }, { deadlineMs: TYPING_DEADLINE_MS, signal });
    } catch {
      // Best effort.
    }
  }
}

async function fetchFile(
  downloads: Pick<TeamsApi, 'openFile'>,
  login: LoginRef,
  ref: string,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  if (login.kind !== 'shared') throw new GatewayError('file_gone');
  return await downloads.openFile(ref, signal);
}

/** The Bot Connector's codes for failures that people can solve (https://learn.microsoft.com/microsoftteams/platform/bots/build-conversational-capability). */
export const TEAMS_REMEDIES: readonly Remedy[] = [
  {
    words: /MessageWritesBlocked/,
    suggestion: 'Unblock the app in Teams, or install it again, then send it a message.',
  },
  {
    words: /BotNotInConversationRoster|ForbiddenOperationException/,
    suggestion:
      'Install the app in Teams for yourself, or have an administrator allow it, then send it a message.',
  },
  {
    words: /ConversationNotFound|no prior chat/i,
    suggestion: 'Open the app in Teams and send it a message: the bot has no chat with you yet.',
  },
];
