import type { Clock } from '../../../base/time.ts';
import { keyOfLogin, type LoginRef, type LoginState } from '../../contract/login.ts';
import type { MessageIntake } from '../../contract/messenger.ts';
import type { CodeTries } from '../../kit/code-tries.ts';
import type { DiscordRecords } from '../discord-records.ts';
import { VoiceFollowers } from '../gateway/voice-followers.ts';
import { EventReader } from '../messages/event-reader.ts';
import { History } from '../messages/history.ts';
import { KnownChannels } from '../messages/known-channels.ts';
import { MessagePlaces } from '../messages/message-places.ts';
import { type DiscordObserver, MessageReceiver } from '../messages/message-receiver.ts';
import { DiscordRest } from '../rest/discord-rest.ts';
import { RestClient } from '../rest/rest-client.ts';
import { BotLogin } from './bot-login.ts';

export interface NewLogin {
  readonly ref: LoginRef;
  readonly token: string;
  readonly applicationId: string;
  readonly onState: (state: LoginState) => void;
  readonly claim: (userId: string) => void;
}

/** What all logins share. */
export interface LoginWorld {
  readonly apiUrl: string;
  readonly hearsBots: boolean;
  readonly intake: MessageIntake;
  readonly tries: CodeTries;
  readonly records: DiscordRecords;
  readonly clock: Clock;
  readonly observer: DiscordObserver;
}

/** Creates a login with its parts. Nothing is sent yet. */
export function openLogin(world: LoginWorld, { ref, token, ...others }: NewLogin): BotLogin {
  const { apiUrl, records, clock, observer } = world;
  const key = keyOfLogin(ref);
  const client = new RestClient({ apiUrl, token, clock }, ({ message }) => login.loggedOut(message));
  const rest = new DiscordRest(client);
  const channels = new KnownChannels(records, key);
  const followers = new VoiceFollowers();
  const places = new MessagePlaces(channels, rest);
  const receiver = new MessageReceiver({ ...world, ref, rest, channels, places });
  const history: History = new History({
    rest,
    channels,
    clock,
    take: (message, signal) => receiver.take(message, login.receiving, signal),
  });
  const isInCall = (guildId: string, channelId: string) => followers.isInCall(guildId, channelId);
  const events = new EventReader({ ...world, ref, channels, places, history, receiver, isInCall });
  const login: BotLogin = new BotLogin({
    ...{
      ...others,
      ref,
      key,
      token,
      client,
      rest,
      records,
      channels,
      history,
      events,
      followers,
      clock,
      observer,
    },
    isEncrypted: apiUrl.startsWith('https:'),
  });
  return login;
}
