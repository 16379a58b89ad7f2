import type { Clock } from '../../../base/time.ts';
import type { PlatformHttp } from '../../kit/platform-http.ts';
import { TalkRoom } from '../calls/talk-room.ts';
import type { NextcloudUser } from '../ocs-client.ts';
import type { Reach } from '../signaling/hpb-session.ts';
import type { TypingPlaces } from './typing-places.ts';
import { NoSignalingServer, TypingSession } from './typing-session.ts';

export interface RoomTypingDeps {
  readonly clock: Clock;
  readonly http: PlatformHttp;
  readonly reach: Reach;
  readonly user: NextcloudUser;
  readonly places: TypingPlaces;
  /** Has the call of a room show that the agent is typing, or no longer. Returns false when the bot is in no such call. */
  inCall(token: string, on: boolean): boolean;
  /** An indicator was not shown. */
  failed(error: unknown): void;
}

/** Sessions of one login. Further rooms show no indicator. */
const MAX_SESSIONS = 4;
/** After a failure, nothing is tried for so long. */
const REST_MS = 60_000;
/** Signaling servers are set up once. */
const NO_SERVER_REST_MS = 600_000;

/** Shows in the rooms of one login that the agent is typing, as far as that is possible. Nothing waits for it. */
export class RoomTyping {
  readonly #deps: RoomTypingDeps;
  readonly #sessions = new Map<string, TypingSession>();
  #closing: Promise<unknown> = Promise.resolve();
  #restUntilMs = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(deps: RoomTypingDeps) {
    this.#deps = deps;
  }

  show(token: string): void {
    if (this.#isClosed || this.#deps.inCall(token, true)) return;
    (this.#sessions.get(token) ?? this.#open(token))?.type(true);
  }

  hide(token: string): void {
    this.#deps.inCall(token, false);
    this.#sessions.get(token)?.type(false);
  }

  /** Leaves all rooms. Never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const [token, session] of this.#sessions) this.#end(token, session);
    await this.#closing;
  }

  #open(token: string): TypingSession | null {
    const { clock, http, reach, user, places, failed } = this.#deps;
    const isResting = clock.monotonicMs() < this.#restUntilMs;
    if (isResting || this.#sessions.size >= MAX_SESSIONS || !places.take()) return null;
    const session: TypingSession = new TypingSession({
      clock,
      reach,
      room: new TalkRoom(http, user, token),
      idle: () => this.#end(token, session),
      failed: (error) => {
        const hasNone = error instanceof NoSignalingServer;
        this.#restUntilMs = clock.monotonicMs() + (hasNone ? NO_SERVER_REST_MS : REST_MS);
        this.#end(token, session);
        if (!hasNone) failed(error);
      },
    });
    this.#sessions.set(token, session);
    return session;
  }

  #end(token: string, session: TypingSession): void {
    if (this.#sessions.get(token) !== session) return;
    this.#sessions.delete(token);
    const ending = session.close().finally(() => this.#deps.places.giveBack());
    this.#closing = Promise.all([this.#closing, ending]);
  }
}
