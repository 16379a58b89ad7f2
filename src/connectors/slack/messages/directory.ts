import { LimitedMap } from '../../../base/limited-map.ts';
import type { Clock } from '../../../base/time.ts';
import type { CallOptions } from '../../kit/platform-http.ts';
import type { SlackApi } from '../client.ts';
import { ChannelAnswer, OpenedAnswer, UserAnswer } from '../objects.ts';
import type { Mentions, Names } from './plain-text.ts';

const MAX_NAMES = 10_000;
const MAX_CHANNELS = 10_000;
const KEPT_MS = 3_600_000;
/** A name that Slack did not tell is asked for again after this time. */
const MISSED_MS = 60_000;
/** Slack waits for the acknowledgement of the event meanwhile, three seconds at most. */
const NAME_DEADLINE_MS = 1_500;

interface KnownName {
  readonly name: string | null;
  readonly untilMs: number;
}

/** Names of a workspace's people and channels, and the channels of its direct messages. In memory. */
export class Directory {
  readonly #api: SlackApi;
  readonly #clock: Clock;
  readonly #ending: AbortSignal;
  readonly #names = new LimitedMap<KnownName>(MAX_NAMES);
  readonly #asking = new Map<string, Promise<string | null>>();
  /** Channels of direct messages by the person's id. */
  readonly #direct = new LimitedMap<string>(MAX_CHANNELS);

  constructor(api: SlackApi, clock: Clock, ending: AbortSignal) {
    this.#api = api;
    this.#clock = clock;
    this.#ending = ending;
  }

  /** `fallback` when Slack does not tell it now. Never rejects. */
  async personName(person: string, fallback: string | null = null): Promise<string | null> {
    const name = await this.#name(person, async (options) => {
      const { user } = await this.#api.call('users.info', { user: userIdOf(person) }, options, UserAnswer);
      const { profile, real_name: realName, name } = user;
      return profile?.display_name || profile?.real_name || realName || name || null;
    });
    return name ?? fallback;
  }

  /** Null when Slack does not tell it now. Never rejects. */
  async channelName(channelId: string): Promise<string | null> {
    return await this.#name(channelId, async (options) => {
      const args = { channel: channelId };
      return (await this.#api.call('conversations.info', args, options, ChannelAnswer)).channel.name ?? null;
    });
  }

  /** The names that Slack tells of what a text mentions. */
  async namesOf({ users, channels }: Mentions, botUserId: string): Promise<Names> {
    const named = await Promise.all([
      ...users.filter((id) => id !== botUserId).map(async (id) => [id, await this.personName(id)] as const),
      ...channels.map(async (id) => [id, await this.channelName(id)] as const),
    ]);
    return new Map(named.flatMap(([id, name]) => (name === null ? [] : [[id, name]])));
  }

  /** Remembers the channel of a person's direct messages. */
  heardDirect(person: string, channelId: string): void {
    this.#direct.set(person, channelId);
  }

  /** Returns the channel of a person's direct messages. Rejects with a PlatformFailure. */
  async directChannel(person: string, options: CallOptions): Promise<string> {
    const known = this.#direct.get(person);
    if (known !== undefined) return known;
    const args = { users: userIdOf(person) };
    const { channel } = await this.#api.call('conversations.open', args, options, OpenedAnswer);
    this.#direct.set(person, channel.id);
    return channel.id;
  }

  forgetDirect(person: string): void {
    this.#direct.delete(person);
  }

  /** Several who ask at once get one answer. */
  async #name(id: string, ask: (options: CallOptions) => Promise<string | null>): Promise<string | null> {
    const known = this.#names.get(id);
    if (known && known.untilMs > this.#clock.monotonicMs()) return known.name;
    const asking =
      this.#asking.get(id) ??
      ask({ deadlineMs: NAME_DEADLINE_MS, signal: this.#ending })
        .catch(() => null)
        .then((name) => this.#learned(id, name ?? known?.name ?? null, name === null))
        .finally(() => this.#asking.delete(id));
    this.#asking.set(id, asking);
    return await asking;
  }

  #learned(id: string, name: string | null, isMissed: boolean): string | null {
    this.#names.set(id, { name, untilMs: this.#clock.monotonicMs() + (isMissed ? MISSED_MS : KEPT_MS) });
    return name;
  }
}

/**
 * The permanent id of a person: the user's id; with the team, `T1/U1`, for people of other workspaces, since ids are
 * unique only within one (https://docs.slack.dev/apis/slack-connect).
 */
export function personId(userId: string, otherTeamId: string | null): string {
  return otherTeamId === null ? userId : `${otherTeamId}/${userId}`;
}

/** The user's id in a person's id. */
export function userIdOf(person: string): string {
  return person.slice(person.indexOf('/') + 1);
}
