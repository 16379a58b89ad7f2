import { randomBytes } from 'node:crypto';
import { type GatewayDispatchPayload, GatewayOpcodes } from 'discord-api-types/v10';
import type { FakeBot } from '../fake-bot.ts';
import type { Announcement, Dispatch, Listener } from '../world/announcement.ts';

/** Events that are kept for a bot that may come back. */
const MAX_KEPT = 10_000;

/** Where a session's events go while it is connected. */
export type Outlet = (payload: GatewayDispatchPayload) => void;

/** What a bot has been told since it identified; it outlives connections, so that a bot can resume it. */
export class GatewaySession implements Listener {
  readonly id = randomBytes(16).toString('hex');
  readonly bot: FakeBot;
  readonly intents: number;
  /** Null: the bot is away. */
  outlet: Outlet | null = null;
  /** When the bot went away, in milliseconds; null: it is connected. */
  leftAtMs: number | null = null;
  #seq = 0;
  #kept: GatewayDispatchPayload[] = [];

  constructor(bot: FakeBot, intents: number) {
    this.bot = bot;
    this.intents = intents;
  }

  get seq(): number {
    return this.#seq;
  }

  hear(announcement: Announcement): void {
    const dispatch = announcement(this);
    if (dispatch) this.dispatch(dispatch);
  }

  dispatch(dispatch: Dispatch): void {
    const payload = this.#numbered(dispatch);
    this.#kept.push(payload);
    if (this.#kept.length > MAX_KEPT) this.#kept.shift();
    this.outlet?.(payload);
  }

  /** READY and RESUMED, which are not told again. */
  greet(dispatch: Dispatch): void {
    this.outlet?.(this.#numbered(dispatch));
  }

  /** Whether everything behind `seq` can be told again. */
  remembers(seq: number): boolean {
    const oldest = this.#kept[0]?.s ?? this.#seq + 1;
    return seq <= this.#seq && seq >= oldest - 1;
  }

  /** Tells again what came behind `seq`. */
  replay(seq: number): void {
    for (const payload of this.#kept) if (payload.s > seq) this.outlet?.(payload);
  }

  #numbered(dispatch: Dispatch): GatewayDispatchPayload {
    this.#seq += 1;
    return { op: GatewayOpcodes.Dispatch, s: this.#seq, ...dispatch } as GatewayDispatchPayload;
  }
}
