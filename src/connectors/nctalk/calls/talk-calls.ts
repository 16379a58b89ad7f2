import { GatewayError } from '../../../base/errors.ts';
import { LimitedMap } from '../../../base/limited-map.ts';
import { oneLine } from '../../../base/one-line.ts';
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
import type { PlatformFailure } from '../../kit/platform-failure.ts';
import { failureOf, type NextcloudUser } from '../ocs-client.ts';
import { RingingLeg } from './ringing-leg.ts';
import { leadsTo, roomTokenIn, roomUrl } from './room-address.ts';
import { SAMPLE_RATE_HZ, TALK_RULES, type TalkCall, TalkMeeting } from './talk-meeting.ts';
import { type Room, TalkRoom } from './talk-room.ts';

/** A bot that can be in calls. */
export interface CallingBot {
  readonly connectionId: string;
  readonly accountId: string;
  readonly user: NextcloudUser;
}

export interface TalkCallsDeps
  extends Pick<TalkCall, 'clock' | 'bridges' | 'http' | 'reach' | 'internalSecrets' | 'checkText'> {
  /** Returns the bot of a connection; null: it has none that can be in calls, or is not there. */
  botOf(login: CallLogin): CallingBot | null;
  /** Returns the agent that is called by a connection; null: there is none. */
  agentOf(connectionId: string): Promise<string | null>;
  /** Nextcloud no longer accepts the bot's login, or cannot be asked. */
  failed(connectionId: string, failure: PlatformFailure): void;
}

/** Rooms whose last call is remembered. */
const MAX_KNOWN = 10_000;
const LOOK_MS = 10_000;
const MAX_NAME = 100;
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
  /** Calls that bots are in, by `<connection>/<room>`. */
  readonly #taken = new Map<string, TalkMeeting>();
  /** Calls that ring, by place. */
  readonly #ringing = new Map<string, RingingLeg>();
  /** When the last call has started that rang, or that the bot was in, by place. */
  readonly #known = new LimitedMap<number>(MAX_KNOWN);
  /** Rooms that are being asked for, and whether anything has changed since. */
  readonly #looking = new Map<string, boolean>();
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

  /**
   * A call may have started or ended in a room: whoever says so cannot be trusted with it, so the Nextcloud is asked. A call that
   * has started rings, unless the bot is in it.
   */
  callChanged(bot: CallingBot, roomToken: string): void {
    const place = placeOf(bot, roomToken);
    if (this.#taken.has(place)) return;
    const isLooking = this.#looking.has(place);
    this.#looking.set(place, isLooking);
    if (isLooking) return;
    this.#look(bot, roomToken)
      .catch((error: unknown) => this.#deps.failed(bot.connectionId, failureOf(error)))
      .finally(() => {
        const hasChanged = this.#looking.get(place) === true;
        this.#looking.delete(place);
        if (hasChanged) this.callChanged(bot, roomToken);
      });
  }

  /** Has the people in a call see that the agent is typing, or no longer. Returns false when the bot is not in it. */
  type(connectionId: string, roomToken: string, on: boolean): boolean {
    return this.#taken.get(`${connectionId}/${roomToken}`)?.type(on) ?? false;
  }

  async #look(bot: CallingBot, roomToken: string): Promise<void> {
    const room = await this.#room(bot, roomToken);
    if (room.hasCall !== true) return this.#ringing.get(placeOf(bot, roomToken))?.withdrawn();
    if (this.#isKnown(placeOf(bot, roomToken), room.callStartTime ?? 0)) return;
    const agentId = await this.#deps.agentOf(bot.connectionId);
    if (agentId !== null) this.#ring(bot, agentId, roomToken, oneLine(room.displayName ?? '', MAX_NAME));
  }

  /** Several things tell of one call, also after the agent has declined or left it. */
  #isKnown(place: string, startedS: number): boolean {
    if (startedS > 0 && this.#known.get(place) === startedS) return true;
    this.#known.set(place, startedS);
    return false;
  }

  /** The bot is in a call, which shall not ring once it has left. */
  async #entered(bot: CallingBot, roomToken: string): Promise<void> {
    const { callStartTime = 0 } = await this.#room(bot, roomToken);
    this.#known.set(placeOf(bot, roomToken), callStartTime);
  }

  async #room({ user }: CallingBot, roomToken: string): Promise<Room> {
    return await new TalkRoom(this.#deps.http, user, roomToken).look(AbortSignal.timeout(LOOK_MS));
  }

  #ring(bot: CallingBot, agentId: string, roomToken: string, name: string): void {
    const place = placeOf(bot, roomToken);
    if (this.#taken.has(place) || this.#ringing.has(place)) return;
    const take = (media: MediaControl, observer: LegObserver): PlatformLeg => {
      const leg = new RingingLeg(observer, () => {
        this.#ringing.delete(place);
        return this.#enter(bot, roomToken, media, observer);
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
      caller: name,
      target: roomUrl(bot.user.server, roomToken),
      autoAnswer: false,
      take,
    });
  }

  #offer({ user }: CallingBot): CallOffer {
    const capabilities = this.#textOnly.has(user.server) ? TEXT_ONLY : PLATFORM_TRAITS.nctalk.capabilities;
    return { capabilities, sampleRateHz: SAMPLE_RATE_HZ };
  }

  #enter(bot: CallingBot, roomToken: string, control: MediaControl, observer: LegObserver): MeetingLeg {
    const place = placeOf(bot, roomToken);
    const { clock } = this.#deps;
    const call = this.#callOf(bot, roomToken);
    const leg: MeetingLeg = new MeetingLeg({ clock, observer, rules: TALK_RULES }, (own) => {
      const meeting = new TalkMeeting({ ...call, control, observer, leg: own });
      this.#taken.set(place, meeting);
      return meeting;
    });
    const own = this.#taken.get(place);
    void leg.released.then(() => {
      if (this.#taken.get(place) === own) this.#taken.delete(place);
    });
    return leg;
  }

  #callOf(bot: CallingBot, roomToken: string): TalkCall {
    const { user, connectionId } = bot;
    return {
      ...this.#deps,
      user,
      connectionId,
      roomToken,
      failed: (failure) => this.#deps.failed(connectionId, failure),
      learned: (hasServer) => {
        if (hasServer) this.#textOnly.delete(user.server);
        else this.#textOnly.add(user.server);
      },
      // Whatever fails here fails the call as well.
      entered: () => void this.#entered(bot, roomToken).catch(() => undefined),
    };
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
