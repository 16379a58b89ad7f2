import { Backoff, type Clock, pause } from '../../../base/time.ts';
import type { PlatformFailure } from '../../kit/platform-failure.ts';
import type { TalkApi } from '../client.ts';
import { failureOf } from '../ocs-client.ts';
import type { RoomRegistry } from './room-registry.ts';

/** With events: a net for those that got lost. */
const WITH_EVENTS_MS = 60_000;
/** Without: while something happens, and later. */
const SHORTEST_MS = 2_000;
const LONGEST_MS = 10_000;
/** A list of what has changed tells neither of rooms that were left, nor of edits. */
const WHOLE_LIST_MS = 300_000;
const LIST_DEADLINE_MS = 20_000;
/** Rooms that are looked into each time, the last ones in which something happened. */
const MOST_BUSY = 20;
const BUSY_FOR_MS = 600_000;

export interface PollerDeps {
  readonly api: TalkApi;
  readonly clock: Clock;
  readonly rooms: RoomRegistry;
  readonly signal: AbortSignal;
  hasEvents(): boolean;
  /** Whether the Nextcloud accepts the login. */
  isUp(): boolean;
  /** Resolves with whether there was something new. Never rejects. */
  look(token: string): Promise<boolean>;
  /** Called after each list. */
  heard(failure: PlatformFailure | null): void;
}

/** Looks into the rooms of one login again and again: into those that have changed, and those where something happens. */
export class Poller {
  readonly #deps: PollerDeps;
  readonly #idle = new Backoff(SHORTEST_MS, LONGEST_MS);
  /** When something last happened, by room. */
  readonly #busy = new Map<string, number>();
  /** Rooms that could not be read. */
  readonly #again = new Set<string>();
  #modifiedSince: number | null = null;
  #wholeListMs = -Infinity;
  #wake = new AbortController();

  constructor(deps: PollerDeps) {
    this.#deps = deps;
  }

  /** Polls until the signal aborts. */
  async run(): Promise<void> {
    const { clock, signal } = this.#deps;
    while (!signal.aborted) {
      if (this.#deps.isUp()) await this.#round();
      await pause(clock, this.#pauseMs(), AbortSignal.any([signal, this.#wake.signal]));
      this.#wake = new AbortController();
    }
  }

  /** Polls at once, and all. */
  wake(): void {
    this.#wholeListMs = -Infinity;
    this.#wake.abort();
  }

  /** Something has happened in a room. */
  isBusy(token: string): void {
    this.#busy.delete(token);
    this.#busy.set(token, this.#deps.clock.monotonicMs());
    for (const [other, atMs] of this.#busy)
      if (this.#busy.size > MOST_BUSY || this.#deps.clock.monotonicMs() - atMs > BUSY_FOR_MS)
        this.#busy.delete(other);
  }

  /** A room could not be read: it is tried again. */
  failed(token: string): void {
    this.#again.add(token);
  }

  async #round(): Promise<void> {
    const tokens = new Set([...this.#again, ...this.#busy.keys(), ...(await this.#changed())]);
    this.#again.clear();
    const found = await Promise.all([...tokens].map((token) => this.#deps.look(token)));
    if (found.some(Boolean)) this.#idle.reset();
  }

  /** The rooms in which there may be something new. */
  async #changed(): Promise<string[]> {
    const { api, clock, rooms, signal, heard } = this.#deps;
    const nowMs = clock.monotonicMs();
    const isWhole = nowMs - this.#wholeListMs >= WHOLE_LIST_MS;
    try {
      const { rooms: listed, modifiedBefore } = await api.rooms(isWhole ? null : this.#modifiedSince, {
        deadlineMs: LIST_DEADLINE_MS,
        signal,
      });
      this.#modifiedSince = modifiedBefore;
      if (isWhole) this.#wholeListMs = nowMs;
      heard(null);
      const changed = listed.flatMap((room) => {
        const place = rooms.noted(room);
        return place && (room.lastMessage?.id ?? 0) > (rooms.positionIn(place) ?? -1) ? [room.token] : [];
      });
      const left = isWhole ? rooms.heard.filter((token) => !listed.some((room) => room.token === token)) : [];
      return [...changed, ...left];
    } catch (error) {
      if (!signal.aborted) heard(failureOf(error));
      return [];
    }
  }

  #pauseMs(): number {
    return this.#deps.hasEvents() ? WITH_EVENTS_MS : this.#idle.next();
  }
}
