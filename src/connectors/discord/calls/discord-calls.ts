import { GatewayError } from '../../../base/errors.ts';
import { PLATFORM_TRAITS } from '../../../base/platform.ts';
import type { Clock } from '../../../base/time.ts';
import type { Bridges } from '../../../media/transport.ts';
import type { CallLogin, PlacesCalls } from '../../contract/connector.ts';
import { MeetingLeg } from '../../kit/meeting-leg.ts';
import type { VoiceSignaling } from '../gateway/voice-signaling.ts';
import { type ChannelAddress, readChannelUrl } from './channel-access.ts';
import { DiscordMeeting, SAMPLE_RATE_HZ, VOICE_RULES } from './discord-meeting.ts';
import { PLACE_TAKEN } from './entry.ts';
import type { ChatRules } from './voice-chat.ts';

export interface DiscordCallsDeps {
  readonly bridges: Bridges;
  readonly clock: Clock;
  /** Returns the gateway session of a login; null: there is no such login. */
  readonly sessionOf: (login: CallLogin) => VoiceSignaling | null;
  /** The people of an account who are linked to the shared bot, by Discord's ids; those linked last first. */
  readonly linkedPeople: (accountId: string) => Promise<readonly string[]>;
  readonly chat: ChatRules;
}

/** Takes bots to voice channels. */
export function discordCalls(deps: DiscordCallsDeps): PlacesCalls {
  const { bridges, clock, sessionOf, linkedPeople, chat } = deps;
  /** The accounts of calls that have entered, by the place that their bot has: `<bot>/<server>`. */
  const taken = new Map<string, string>();
  /** Throws `platform_not_connected` unless the login's session is up. */
  const signalingOf = (login: CallLogin): VoiceSignaling => {
    const session = sessionOf(login);
    if (session === null || !session.isUp) throw new GatewayError('platform_not_connected');
    return session;
  };
  return {
    loginKinds: ['bot_token', 'shared'],
    ways: [
      { name: 'voice channel', needs: "a bot on the channel's server that may see it, connect and speak" },
    ],
    /** Other accounts learn only by the end of their call that a shared bot is taken, and if their people may enter. */
    prepare({ login, target, accountId }) {
      if (target === '') throw new GatewayError('meeting_url_required');
      const place = placeOf(signalingOf(login), readChannelUrl(target));
      if (taken.get(place) === accountId) throw new GatewayError('call_limit', PLACE_TAKEN);
      return { capabilities: PLATFORM_TRAITS.discord.capabilities, sampleRateHz: SAMPLE_RATE_HZ };
    },
    dial({ login, target, accountId }, control, observer) {
      const signaling = signalingOf(login);
      const address = readChannelUrl(target);
      const place = placeOf(signaling, address);
      const people = login.kind === 'shared' ? () => linkedPeople(accountId) : null;
      const claim = (): boolean => {
        if (taken.has(place)) return false;
        taken.set(place, accountId);
        void leg.released.then(() => taken.delete(place));
        return true;
      };
      const call = { signaling, bridges, clock, accountId, address, people, claim, chat, control, observer };
      const leg: MeetingLeg = new MeetingLeg(
        { clock, observer, rules: VOICE_RULES },
        (own) => new DiscordMeeting({ ...call, leg: own }),
      );
      return leg;
    },
  };
}

function placeOf({ botUserId }: VoiceSignaling, { guildId }: ChannelAddress): string {
  return `${botUserId}/${guildId}`;
}
