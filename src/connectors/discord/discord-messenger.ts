import type { Address, LoginRef } from '../../base/address.ts';
import { GatewayError } from '../../base/errors.ts';
import type { Clock } from '../../base/time.ts';
import type {
  FetchesFiles,
  MessageIntake,
  Messenger,
  OutboundMessage,
  Remedy,
  SendOutcome,
  ShowsTyping,
} from '../contract/messenger.ts';
import { checkTextLength, codePoints, outcomeOf } from '../kit/sending.ts';
import type { BotLogin } from './login/bot-login.ts';
import { openAttachment } from './messages/attachments.ts';
import { SEND_RULES } from './messages/message-parts.ts';

/** Discord's limit for bots. It counts code points. */
const MAX_TEXT = 2_000;
/** Discord drops repeated nonces for a few minutes. */
const DROPS_DUPLICATES_MS = 120_000;

export interface DiscordMessengerDeps {
  /** Origin that files are downloaded from. */
  readonly cdnUrl: string;
  readonly clock: Clock;
  /** Counts a message that Discord takes later. */
  count(): void;
}

/** Direct messages, channels and threads. */
export class DiscordMessenger implements Messenger, ShowsTyping, FetchesFiles {
  readonly typing: ShowsTyping = this;
  readonly files: FetchesFiles = this;
  /** Discord shows the indicator for ten seconds. */
  readonly typingRepeatMs = 8_000;
  readonly remedies = DISCORD_REMEDIES;
  readonly dropsDuplicatesForMs = DROPS_DUPLICATES_MS;
  readonly #deps: DiscordMessengerDeps;
  readonly #loginOf: (ref: LoginRef) => BotLogin | undefined;
  #intake: MessageIntake | null = null;

  constructor(deps: DiscordMessengerDeps, loginOf: (ref: LoginRef) => BotLogin | undefined) {
    this.#deps = deps;
    this.#loginOf = loginOf;
  }

  onMessages(intake: MessageIntake): void {
    this.#intake = intake;
  }

  get intake(): MessageIntake | null {
    return this.#intake;
  }

  checkText(text: string): void {
    checkTextLength('Discord', codePoints(text), MAX_TEXT);
  }

  async send(message: OutboundMessage, signal: AbortSignal): Promise<SendOutcome> {
    const login = this.#loginOf(message.to.login);
    if (!login) return { kind: 'refused', reason: 'The bot is not logged in', isAddressGone: false };
    const outcome = await this.#send(login, message, signal);
    if (outcome.kind === 'later') this.#deps.count();
    return outcome;
  }

  async showTyping(to: Address, signal: AbortSignal): Promise<void> {
    const login = this.#loginOf(to.login);
    if (!login) return;
    try {
      await login.rest.showTyping(await channelOf(login, to, signal), signal);
    } catch {
      // Best effort.
    }
  }

  async fetchFile(ref: LoginRef, file: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    const rest = this.#loginOf(ref)?.rest;
    if (!rest) throw new GatewayError('file_gone');
    return await openAttachment({ rest, ...this.#deps }, file, signal);
  }

  async #send(login: BotLogin, message: OutboundMessage, signal: AbortSignal): Promise<SendOutcome> {
    try {
      const channelId = await channelOf(login, message.to, signal);
      return await login.rest.sendMessage(channelId, message, signal);
    } catch (error) {
      // Opening a channel twice is harmless.
      return outcomeOf(error, [], SEND_RULES, false);
    }
  }
}

/** Returns the channel to write to. Rejects with a PlatformFailure. */
async function channelOf(login: BotLogin, { space, thread }: Address, signal: AbortSignal): Promise<string> {
  if (space.kind === 'channel') return thread ?? space.id;
  return login.channels.ofPerson(space.id) ?? (await login.rest.directChannel(space.id, signal));
}

/** Discord's messages for failures that people can solve (https://docs.discord.com/developers/topics/opcodes-and-status-codes). */
export const DISCORD_REMEDIES: readonly Remedy[] = [
  {
    words: /no mutual guilds/i,
    suggestion:
      'Add the bot to a server that you are a member of: Discord lets bots write only to people they share one with.',
  },
  {
    words: /cannot send messages to this user/i,
    suggestion:
      'Allow direct messages from members of a server that you share with the bot (Privacy Settings of the server), and unblock the bot.',
  },
  {
    words: /missing (?:access|permissions)/i,
    suggestion: 'Give the bot the permissions View Channel and Send Messages in this channel.',
  },
];
