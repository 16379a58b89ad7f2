import type { Address, LoginRef } from '../../base/address.ts';
import { GatewayError } from '../../base/errors.ts';
import type { Clock } from '../../base/time.ts';
import type { Messenger, OutboundMessage, Remedy, SendOutcome } from '../contract/messenger.ts';
import { reactionOutcome } from '../kit/reactions.ts';
import { checkTextLength, codePoints, outcomeOf } from '../kit/sending.ts';
import type { BotLogin } from './login/bot-login.ts';
import { openAttachment } from './messages/attachments.ts';
import { CHOICES } from './messages/buttons.ts';
import { toDiscord } from './messages/discord-markdown.ts';
import { showsEdits } from './messages/live-edits.ts';
import { SEND_RULES } from './messages/message-parts.ts';

/** Discord's limit for bots. It counts code points. */
const MAX_TEXT = 2_000;
/** Discord takes 50 requests a second from a bot; long messages and typing indicators take some, too. */
const MOST_PER_SECOND = 40;
/** Discord drops repeated nonces for a few minutes. */
const DROPS_DUPLICATES_MS = 120_000;

export interface DiscordMessengerDeps {
  /** Origin that files are downloaded from. */
  readonly cdnUrl: string;
  readonly clock: Clock;
  /** Counts a message that Discord takes later. */
  readonly count: () => void;
  readonly loginOf: (ref: LoginRef) => BotLogin | undefined;
  readonly onMessages: Messenger['onMessages'];
}

/** Direct messages, channels and threads. */
export function discordMessenger({
  cdnUrl,
  clock,
  count,
  loginOf,
  onMessages,
}: DiscordMessengerDeps): Messenger {
  return {
    remedies: DISCORD_REMEDIES,
    dropsDuplicatesForMs: DROPS_DUPLICATES_MS,
    live: showsEdits(async ({ login, space, thread, person }, signal) => {
      const found = loginOf(login);
      return (
        found && {
          rest: found.rest,
          channelId: await channelOf(found, { login, space, thread, person }, signal),
        }
      );
    }),
    mostPerSecond: MOST_PER_SECOND,
    typing: {
      // Discord shows the indicator for ten seconds.
      typingRepeatMs: 8_000,
      async showTyping(to, signal) {
        try {
          const login = loginOf(to.login);
          await login?.rest.showTyping(await channelOf(login, to, signal), signal);
        } catch {
          // Best effort.
        }
      },
    },
    files: {
      async fetchFile(ref, file, signal) {
        const rest = loginOf(ref)?.rest;
        if (!rest) throw new GatewayError('file_gone');
        return await openAttachment({ rest, cdnUrl, clock }, file, signal);
      },
    },
    onMessages,
    maxText: MAX_TEXT,
    quotes: true,
    choices: CHOICES,
    reactions: {
      async react(to, reaction, signal) {
        const login = loginOf(to.login);
        if (!login) return { kind: 'failed', reason: 'The bot is not logged in' };
        const react = async () =>
          await login.rest.react(await channelOf(login, to, signal), reaction, signal);
        return await reactionOutcome('Discord', react());
      },
    },
    checkText: (text) => checkTextLength('Discord', codePoints(toDiscord(text)), MAX_TEXT),
    async send(message, signal) {
      const login = loginOf(message.to.login);
      if (!login) return { kind: 'refused', reason: 'The bot is not logged in', isAddressGone: false };
      const outcome = await sent(login, message, signal);
      if (outcome.kind === 'later') count();
      return outcome;
    },
  };
}

async function sent(login: BotLogin, message: OutboundMessage, signal: AbortSignal): Promise<SendOutcome> {
  try {
    return await login.rest.sendMessage(await channelOf(login, message.to, signal), message, signal);
  } catch (error) {
    // Opening a channel twice is harmless.
    return outcomeOf(error, [], SEND_RULES, false);
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
