import { GatewayError } from '../../../base/errors.ts';
import { type Capability, PLATFORM_TRAITS } from '../../../base/platform.ts';
import type { MediaControl } from '../../../media/media-control.ts';
import type { LegObserver, PlatformLeg } from '../../contract/call-leg.ts';
import type {
  CallLogin,
  CallOffer,
  DialRequest,
  InboundAnswerer,
  PlacesCalls,
  RingsCalls,
} from '../../contract/connector.ts';
import { MeetingLeg } from '../../kit/meeting-leg.ts';
import type { NextcloudUser } from '../ocs-client.ts';
import { RingingLeg } from './ringing-leg.ts';
import { leadsTo, roomTokenIn, roomUrl } from './room-address.ts';
import { SAMPLE_RATE_HZ, TALK_RULES, type TalkCall, TalkMeeting } from './talk-meeting.ts';

/** A bot that can be in calls. */
export interface CallingBot {
  readonly connectionId: string;
  readonly accountId: string;
  readonly user: NextcloudUser;
}

/** A room in which a call has started. */
export interface CallRoom {
  readonly token: string;
  readonly name: string;
}

export interface TalkCallsDeps
  extends Pick<TalkCall, 'clock' | 'bridges' | 'http' | 'reach' | 'internalSecrets' | 'checkText'> {
  /** Returns the bot of a connection; null: it has none that can be in calls, or is not there. */
  botOf(login: CallLogin): CallingBot | null;
  /** Nextcloud no longer accepts the bot's login. */
  loggedOut(connectionId: string): void;
}

/** Without a signaling server. */
const TEXT_ONLY: readonly Capability[] = ['read', 'write', 'files'];
const IN_ROOM = 'The bot is in the call of this conversation already';

/** Takes bots to the calls of their conversations. */
export class TalkCalls implements PlacesCalls, RingsCalls {
  readonly loginKinds = ['connection'] as const;
  readonly ways = [
    {
      name: 'conversation',
      needs:
        'a Nextcloud whose addon is connected, with a signaling server (High Performance Backend); without one, calls are text only',
    },
  ];
  readonly #deps: TalkCallsDeps;
  /** Calls that bots are in, or that ring, by `<connection>/<room>`. */
  readonly #taken = new Map<string, PlatformLeg>();
  readonly #ringing = new Map<string, RingingLeg>();
  /** Nextclouds without a signaling server, by URL. */
  readonly #textOnly = new Set<string>();
  #answerer: InboundAnswerer | null = null;

  constructor(deps: TalkCallsDeps) {
    this.#deps = deps;
  }

  onInbound(answerer: InboundAnswerer): void {
    this.#answerer = answerer;
  }

  /** A link leads to one Nextcloud; an agent may be connected to several. */
  reaches(login: CallLogin, target: string): boolean {
    const bot = this.#deps.botOf(login);
    return bot !== null && leadsTo(target, bot.user.server);
  }

  prepare({ login, target }: DialRequest): CallOffer {
    const bot = this.#botOf(login);
    if (target === '') throw new GatewayError('meeting_url_required');
    if (this.#taken.has(placeOf(bot, roomTokenIn(target, bot.user.server))))
      throw new GatewayError('call_limit', IN_ROOM);
    return this.#offer(bot);
  }

  dial({ login, target }: DialRequest, media: MediaControl, observer: LegObserver): PlatformLeg {
    const bot = this.#botOf(login);
    return this.#enter(bot, roomTokenIn(target, bot.user.server), media, observer);
  }

  /** A call has started in a room: it rings, unless the bot is in it, or is being called already. */
  callStarted(bot: CallingBot, agentId: string, room: CallRoom): void {
    const place = placeOf(bot, room.token);
    if (this.#taken.has(place) || this.#ringing.has(place)) return;
    const take = (media: MediaControl, observer: LegObserver): PlatformLeg => {
      const leg = new RingingLeg(observer, () => {
        this.#ringing.delete(place);
        return this.#enter(bot, room.token, media, observer);
      });
      this.#ringing.set(place, leg);
      void leg.released.then(() => {
        if (this.#ringing.get(place) === leg) this.#ringing.delete(place);
      });
      return leg;
    };
    this.#answerer?.ring({
      ...this.#offer(bot),
      accountId: bot.accountId,
      agentId,
      login: { kind: 'connection', id: bot.connectionId },
      caller: room.name,
      target: roomUrl(bot.user.server, room.token),
      autoAnswer: false,
      take,
    });
  }

  /** The call in a room is over. Whoever is in it learns so otherwise. */
  callEnded(connectionId: string, roomToken: string): void {
    this.#ringing.get(`${connectionId}/${roomToken}`)?.withdrawn();
  }

  #offer({ user }: CallingBot): CallOffer {
    const capabilities = this.#textOnly.has(user.server) ? TEXT_ONLY : PLATFORM_TRAITS.nctalk.capabilities;
    return { capabilities, sampleRateHz: SAMPLE_RATE_HZ };
  }

  #enter(bot: CallingBot, roomToken: string, control: MediaControl, observer: LegObserver): MeetingLeg {
    const { user, connectionId } = bot;
    const place = placeOf(bot, roomToken);
    const { clock } = this.#deps;
    const call: TalkCall = {
      ...this.#deps,
      user,
      connectionId,
      roomToken,
      loggedOut: () => this.#deps.loggedOut(connectionId),
      learned: (hasServer) => {
        if (hasServer) this.#textOnly.delete(user.server);
        else this.#textOnly.add(user.server);
      },
    };
    const leg: MeetingLeg = new MeetingLeg(
      { clock, observer, rules: TALK_RULES },
      (own) => new TalkMeeting({ ...call, control, observer, leg: own }),
    );
    this.#taken.set(place, leg);
    void leg.released.then(() => {
      if (this.#taken.get(place) === leg) this.#taken.delete(place);
    });
    return leg;
  }

  /** Throws `platform_not_connected` unless the login has a bot. */
  #botOf(login: CallLogin): CallingBot {
    const bot = this.#deps.botOf(login);
    if (bot === null) throw new GatewayError('platform_not_connected');
    return bot;
  }
}

function placeOf({ connectionId }: CallingBot, roomToken: string): string {
  return `${connectionId}/${roomToken}`;
}
