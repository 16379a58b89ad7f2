import { cutText } from '../base/cut-text.ts';
import type { Clock } from '../base/time.ts';
import type { Participant } from '../connectors/contract/call-leg.ts';

/** Largest list kept; further participants are left out. */
const MAX_PARTICIPANTS = 500;
/** Longest id and name kept, in characters. */
const MAX_CHARACTERS = 256;
/** Shortest time between two announcements. When many people join at once, each would otherwise send the whole list. */
const PAUSE_MS = 500;

/** Who takes part in a call. Changes are announced at most every 500 ms; the current list can be read at any time. */
export class ParticipantList {
  readonly #clock: Clock;
  readonly #announce: (list: readonly Participant[]) => void;
  #current: readonly Participant[] = [];
  #announced: readonly Participant[] = [];
  #isPaused = false;

  constructor(clock: Clock, announce: (list: readonly Participant[]) => void) {
    this.#clock = clock;
    this.#announce = announce;
  }

  get current(): readonly Participant[] {
    return this.#current;
  }

  find(id: string): Participant | undefined {
    return this.#current.find((participant) => participant.id === id);
  }

  /** Replaces the list. `changed` is called before any announcement, unless the list is the same as before. */
  replace(reported: readonly Participant[], changed: () => void): void {
    const next = reported.slice(0, MAX_PARTICIPANTS).map(shortened);
    if (areSame(next, this.#current)) return;
    this.#current = next;
    changed();
    this.#announceLater();
  }

  #announceLater(): void {
    if (this.#isPaused || areSame(this.#current, this.#announced)) return;
    this.#isPaused = true;
    this.#clock.after(PAUSE_MS, () => {
      this.#isPaused = false;
      this.#announceLater();
    });
    this.#announced = this.#current;
    this.#announce(this.#current);
  }
}

function shortened({ id, name }: Participant): Participant {
  return { id: cutText(id, MAX_CHARACTERS), name: cutText(name, MAX_CHARACTERS) };
}

function areSame(some: readonly Participant[], others: readonly Participant[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ id, name }, at) => id === others[at]?.id && name === others[at]?.name)
  );
}
