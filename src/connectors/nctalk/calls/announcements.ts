import type { CancelTimer, Clock } from '../../../base/time.ts';
import { ROOM_TYPE } from './descriptions.ts';

interface AnnouncementsDeps {
  readonly clock: Clock;
  send(personId: string, data: object): void;
}

/** Their Talk takes it only once it knows the bot, and says nothing about that: Talk's own clients repeat it, too. */
const AGAIN_MS = [1_000, 2_000, 4_000, 8_000, 16_000] as const;
/** People who are told. */
const MAX_PEOPLE = 200;

/** Tells the people in the call whether the agent is muted: until then, their Talk plays nothing of it. */
export class Announcements {
  readonly #deps: AnnouncementsDeps;
  readonly #told = new Map<string, CancelTimer>();
  /** Null: there is nothing to tell yet. */
  #isOn: boolean | null = null;

  constructor(deps: AnnouncementsDeps) {
    this.#deps = deps;
  }

  /** Replaces the list of the people in the call. */
  set(personIds: readonly string[]): void {
    const present = new Set(personIds.slice(0, MAX_PEOPLE));
    for (const [personId, cancel] of this.#told) {
      if (present.has(personId)) continue;
      cancel();
      this.#told.delete(personId);
    }
    for (const personId of present) if (!this.#told.has(personId)) this.#tell(personId, 0);
  }

  /** The agent can be heard, or is muted. */
  speaks(isOn: boolean): void {
    if (this.#isOn === isOn) return;
    this.#isOn = isOn;
    for (const [personId, cancel] of this.#told) {
      cancel();
      this.#tell(personId, 0);
    }
  }

  clear(): void {
    this.#isOn = null;
    this.set([]);
  }

  #tell(personId: string, times: number): void {
    const { clock, send } = this.#deps;
    if (this.#isOn !== null)
      send(personId, {
        type: this.#isOn ? 'unmute' : 'mute',
        roomType: ROOM_TYPE,
        payload: { name: 'audio' },
      });
    const pauseMs = this.#isOn === null ? undefined : AGAIN_MS[times];
    const again = (): void => this.#tell(personId, times + 1);
    this.#told.set(personId, pauseMs === undefined ? () => undefined : clock.after(pauseMs, again));
  }
}
