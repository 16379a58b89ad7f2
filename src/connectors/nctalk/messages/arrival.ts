import type { Clock } from '../../../base/time.ts';
import type { TalkApi } from '../client.ts';
import type { BotRecord, TalkRecords } from '../nctalk-records.ts';
import type { Room } from '../objects.ts';
import { EventProbe } from './event-probe.ts';
import type { Reader } from './message-reading.ts';
import { findMessage, referenceOf } from './references.ts';
import type { RoomRegistry } from './room-registry.ts';

const REQUEST_MS = 15_000;
/** How often it is tried whether events that were lost have come back. */
const PROBE_AGAIN_MS = 3_600_000;

const WELCOME =
  'You are connected. I pass on to your agent what you write here, and its answers to you. To have me in a group, add me to it and write /activate there.';

export interface ArrivalDeps {
  readonly api: TalkApi;
  readonly clock: Clock;
  readonly records: TalkRecords;
  readonly rooms: RoomRegistry;
  readonly reader: Reader;
  readonly appId: string;
  readonly signal: AbortSignal;
}

/** What a bot does when it comes to a Nextcloud: it opens the conversation with its owner, and finds out whether events arrive. */
export class Arrival {
  readonly #deps: ArrivalDeps;
  #bot: BotRecord;
  #probe: EventProbe | null = null;
  #probedAtMs = -Infinity;
  #settling: Promise<void> | null = null;

  constructor(deps: ArrivalDeps) {
    this.#deps = deps;
    this.#bot = { botLogin: deps.reader.ownId, isWelcomed: false, hasEvents: null };
  }

  /** Whether what is written comes as an event, so that polling is a net only. */
  get hasEvents(): boolean {
    return this.#bot.hasEvents === true;
  }

  async load(): Promise<void> {
    const kept = await this.#deps.records.bot();
    if (kept?.botLogin === this.#bot.botLogin) this.#bot = kept;
  }

  /** Rejects with a PlatformFailure. What is done already is not done again. */
  async settleIn(): Promise<void> {
    if (this.#bot.isWelcomed && this.#bot.hasEvents !== null) return;
    this.#settling ??= this.#settleIn().finally(() => {
      this.#settling = null;
    });
    await this.#settling;
  }

  /** Opens the conversation with the owner. Rejects with a PlatformFailure. */
  async directRoom(signal: AbortSignal): Promise<Room> {
    const { api, rooms, reader } = this.#deps;
    const room = await api.directRoom(reader.owner, { deadlineMs: REQUEST_MS, signal });
    const place = rooms.noted(room);
    if (place && rooms.direct !== room.token) await rooms.advance(place, rooms.positionIn(place) ?? 0);
    return room;
  }

  probed(nonce: string): void {
    this.#probe?.returned(nonce);
  }

  async eventCame(): Promise<void> {
    if (this.#bot.hasEvents !== true) await this.#change({ hasEvents: true });
  }

  /** Messages come that no event has told of. */
  async eventsLost(): Promise<void> {
    const { clock } = this.#deps;
    const mayProbe = clock.monotonicMs() - this.#probedAtMs >= PROBE_AGAIN_MS;
    const hasEvents = mayProbe ? null : false;
    if (this.#bot.hasEvents !== hasEvents) await this.#change({ hasEvents });
    if (mayProbe) void this.settleIn().catch(() => undefined);
  }

  async #settleIn(): Promise<void> {
    const { rooms, signal } = this.#deps;
    const token = this.#bot.isWelcomed ? rooms.direct : null;
    const direct = token ?? (await this.directRoom(signal)).token;
    if (!this.#bot.isWelcomed) await this.#welcome(direct);
    if (this.#bot.hasEvents === null) await this.#findOut(direct);
  }

  async #welcome(token: string): Promise<void> {
    const { api, signal } = this.#deps;
    const options = { deadlineMs: REQUEST_MS, signal };
    const referenceId = referenceOf(`${this.#bot.botLogin} welcome`);
    const isThere = await findMessage(api, token, (message) => message.referenceId === referenceId, options);
    if (isThere === null) await api.post({ token, text: WELCOME, referenceId }, options);
    await this.#change({ isWelcomed: true });
  }

  async #findOut(token: string): Promise<void> {
    const { api, clock, appId, signal } = this.#deps;
    this.#probedAtMs = clock.monotonicMs();
    this.#probe = new EventProbe({ api, clock, appId, signal });
    const hasEvents = await this.#probe.run(token);
    if (!signal.aborted && this.#bot.hasEvents === null) await this.#change({ hasEvents });
  }

  async #change(change: Partial<BotRecord>): Promise<void> {
    this.#bot = { ...this.#bot, ...change };
    await this.#deps.records.putBot(this.#bot);
  }
}
