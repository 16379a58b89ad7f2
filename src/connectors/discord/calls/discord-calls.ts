import { GatewayError } from '../../../base/errors.ts';
import { PLATFORM_TRAITS } from '../../../base/platform.ts';
import type { Clock } from '../../../base/time.ts';
import type { LegObserver, PlatformLeg, SendsChat } from '../../contract/call-leg.ts';
import type { CallLogin, CallOffer, DialRequest, PlacesCalls } from '../../contract/connector.ts';
import type { MediaControl } from '../../contract/media-control.ts';
import type { Bridges } from '../../contract/transport.ts';
import type { VoiceSignaling } from '../gateway/voice-signaling.ts';
import { SAMPLE_RATE_HZ } from './call-media.ts';
import { readChannelUrl } from './channel-url.ts';
import { DiscordLeg } from './discord-leg.ts';

export interface DiscordCallsDeps {
  readonly bridges: Bridges;
  readonly clock: Clock;
  /** Returns the gateway session of a login; null: there is no such login. */
  sessionOf(login: CallLogin): VoiceSignaling | null;
  /** The people of an account who are linked to the shared bot, by Discord's ids. */
  readonly linkedPeople: (accountId: string) => Promise<readonly string[]>;
  readonly checkText: SendsChat['checkText'];
}

/** Takes bots to voice channels. Discord lets a bot be in one channel of each server. */
export class DiscordCalls implements PlacesCalls {
  readonly loginKinds = ['bot_token', 'shared'] as const;
  readonly #deps: DiscordCallsDeps;
  /** Servers in which a bot is on a call: `<bot>/<server>`. */
  readonly #occupied = new Set<string>();

  constructor(deps: DiscordCallsDeps) {
    this.#deps = deps;
  }

  prepare({ login, target }: DialRequest): CallOffer {
    const session = this.#sessionOf(login);
    if (target === '') throw new GatewayError('meeting_url_required');
    const { guildId } = readChannelUrl(target);
    if (this.#occupied.has(`${session.botUserId}/${guildId}`))
      throw new GatewayError('call_limit', 'The bot is already in a voice channel of this server');
    return { capabilities: PLATFORM_TRAITS.discord.capabilities, sampleRateHz: SAMPLE_RATE_HZ };
  }

  dial({ login, target, accountId }: DialRequest, media: MediaControl, observer: LegObserver): PlatformLeg {
    const { bridges, clock, checkText } = this.#deps;
    const signaling = this.#sessionOf(login);
    const address = readChannelUrl(target);
    const place = `${signaling.botUserId}/${address.guildId}`;
    if (this.#occupied.has(place))
      throw new GatewayError('call_limit', 'The bot is already in a voice channel of this server');
    this.#occupied.add(place);
    const people = login.kind === 'shared' ? () => this.#deps.linkedPeople(accountId) : null;
    const call = { signaling, bridges, clock, address, people, checkText };
    const leg = new DiscordLeg(call, media, observer);
    void leg.released.then(() => this.#occupied.delete(place));
    return leg;
  }

  /** Throws `platform_not_connected` unless the login's session is up. */
  #sessionOf(login: CallLogin): VoiceSignaling {
    const session = this.#deps.sessionOf(login);
    if (session === null || !session.isUp) throw new GatewayError('platform_not_connected');
    return session;
  }
}
