import type { LoginRef } from '../../base/address.ts';
import { GatewayError } from '../../base/errors.ts';
import { RequestPace } from '../../base/request-pace.ts';
import type { Clock } from '../../base/time.ts';
import type { Messenger, Remedy } from '../contract/messenger.ts';
import { reactionOutcome } from '../kit/reactions.ts';
import type { TeamsApi } from './client.ts';
import { CHOICES } from './messages/buttons.ts';
import { postTyping } from './messages/posting.ts';
import { react, type SendDeps, sendMessage } from './messages/send-message.ts';
import { Streams } from './messages/streams.ts';
import { checkLength, MAX_CHARACTERS } from './messages/text.ts';

/** Teams takes 30 to 50 requests a second from a bot (https://learn.microsoft.com/microsoftteams/platform/bots/how-to/rate-limit): these, and streams. */
const MOST_PER_SECOND = 24;
const MOST_TYPING_PER_SECOND = 6;
const TYPING_DEADLINE_MS = 5_000;

export interface TeamsMessengerDeps {
  readonly clock: Clock;
  readonly sending: SendDeps;
  /** Null: files are switched off. */
  readonly downloads: Pick<TeamsApi, 'openFile'> | null;
  readonly onMessages: Messenger['onMessages'];
}

/** Chats with people, group chats and channels. Teams does not drop duplicates. */
export function teamsMessenger({ clock, sending, downloads, onMessages }: TeamsMessengerDeps): Messenger {
  const streams = new Streams(sending);
  const typing = new RequestPace(clock, { most: MOST_TYPING_PER_SECOND, withinMs: 1_000 });
  return {
    remedies: TEAMS_REMEDIES,
    mostPerSecond: MOST_PER_SECOND,
    ...(downloads && {
      files: { fetchFile: (login, ref, signal) => fetchFile(downloads, login, ref, signal) },
    }),
    typing: {
      // Teams shows the indicator for about three seconds.
      typingRepeatMs: 3_000,
      async showTyping({ space, thread }, signal) {
        // A stream shows more.
        if (typing.free === 0 || streams.isOpenTo(space.id)) return;
        const turn = await typing.turn(space.id, TYPING_DEADLINE_MS, signal);
        try {
          const reference = await sending.references.find(space);
          const options = { deadlineMs: TYPING_DEADLINE_MS, signal };
          if (reference) await postTyping(sending.api, { reference, thread }, options);
        } catch {
          // Best effort.
        } finally {
          turn?.answered();
        }
      },
    },
    onMessages,
    maxText: MAX_CHARACTERS,
    choices: CHOICES,
    reactions: {
      react: async (to, reaction, signal) =>
        await reactionOutcome('Teams', react(sending, to, reaction, signal)),
    },
    checkText: checkLength,
    live: streams,
    send: async (message, signal) => await sendMessage(sending, streams, message, signal),
  };
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
