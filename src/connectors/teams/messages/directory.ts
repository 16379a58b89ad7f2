import * as z from 'zod';
import { LimitedMap } from '../../../base/limited-map.ts';
import { field } from '../../../base/platform-json.ts';
import type { Clock } from '../../../base/time.ts';
import type { TeamsApi } from '../client.ts';
import type { ConversationReference } from '../teams-records.ts';

const MAX_TEAMS = 2_000;
const KEPT_MS = 3_600_000;
/** Names that Teams did not tell are asked for again after this time. */
const MISSED_MS = 60_000;
/** Teams waits for the acknowledgement of the activity meanwhile. */
const DEADLINE_MS = 3_000;

const Channels = z.object({ conversations: z.array(z.object({ id: z.string(), name: field(z.string()) })) });
const Team = z.object({ name: field(z.string()) });
const Member = z.object({ tenantId: field(z.string()), userRole: field(z.string()) });

type Names = ReadonlyMap<string, string>;

/** What activities leave out: names of channels, and who may decide over one. */
export class Directory {
  readonly #api: TeamsApi;
  readonly #clock: Clock;
  readonly #ending: AbortSignal;
  readonly #teams = new LimitedMap<{ readonly names: Promise<Names | null>; untilMs: number }>(MAX_TEAMS);

  constructor(api: TeamsApi, clock: Clock, ending: AbortSignal) {
    this.#api = api;
    this.#clock = clock;
    this.#ending = ending;
  }

  /** The channel's name; of General, the team's. Null when Teams does not tell it now. Never rejects. */
  async channelName(
    teamId: string,
    { conversationId, serviceUrl }: ConversationReference,
  ): Promise<string | null> {
    return (await this.#names(teamId, serviceUrl))?.get(conversationId) ?? null;
  }

  /** Whether somebody belongs to the tenant of the conversation, and is not a guest there. Rejects with a PlatformFailure. */
  async isMember(
    memberId: string,
    { conversationId, serviceUrl, tenantId }: ConversationReference,
  ): Promise<boolean> {
    const path = `v3/conversations/${encodeURIComponent(conversationId)}/members/${encodeURIComponent(memberId)}`;
    const { userRole = '', tenantId: home = tenantId } = await this.#get(serviceUrl, path, Member);
    return home.toLowerCase() === tenantId && !/^(?:guest|anonymous)$/i.test(userRole);
  }

  async #names(teamId: string, serviceUrl: string): Promise<Names | null> {
    const nowMs = this.#clock.monotonicMs();
    const known = this.#teams.get(teamId);
    if (known && known.untilMs > nowMs) return await known.names;
    const asked = {
      names: this.#ask(teamId, serviceUrl).catch(() => {
        asked.untilMs = nowMs + MISSED_MS;
        return null;
      }),
      untilMs: nowMs + KEPT_MS,
    };
    this.#teams.set(teamId, asked);
    return await asked.names;
  }

  async #ask(teamId: string, serviceUrl: string): Promise<Names> {
    const path = `v3/teams/${encodeURIComponent(teamId)}`;
    const [{ conversations }, team] = await Promise.all([
      this.#get(serviceUrl, `${path}/conversations`, Channels),
      this.#get(serviceUrl, path, Team),
    ]);
    return new Map(
      conversations.flatMap(({ id, name = team.name }) => (name === undefined ? [] : [[id, name] as const])),
    );
  }

  async #get<Schema extends z.ZodType>(serviceUrl: string, path: string, schema: Schema) {
    const options = { deadlineMs: DEADLINE_MS, signal: this.#ending };
    return await this.#api.call({ method: 'GET', serviceUrl, path }, options, schema);
  }
}
