import type { PlacedAction, ReplyAction, ReplyFault } from './action.ts';

/** Of one reply. Sentences have a limit of their own; accept, refuse, leave and text outside tags come at most once. */
const MOST_ACTIONS = 20;
const MOST_SENTENCES = 200;
const MOST_FAULTS = 50;

/** The actions of a reply and their places. */
export class ActionList {
  readonly #onAction: (placed: PlacedAction) => void;
  readonly #placed: PlacedAction[] = [];
  readonly #faults: ReplyFault[] = [];
  #nextIndex = 0;
  #actions = 0;
  #sentences = 0;

  constructor(onAction: (placed: PlacedAction) => void) {
    this.#onAction = onAction;
  }

  /** In order of their indices. */
  get actions(): readonly PlacedAction[] {
    return this.#placed.toSorted((one, other) => one.index - other.index);
  }

  get faults(): readonly ReplyFault[] {
    return this.#faults;
  }

  /** Keeps a place for an action that may be told later. */
  reserve(): number {
    return this.#nextIndex++;
  }

  /** Tells an action that has a place. */
  place(index: number, action: ReplyAction): void {
    const placed = { index, action };
    this.#placed.push(placed);
    this.#onAction(placed);
  }

  /** Tells the next action, up to the limit. */
  add(action: ReplyAction): void {
    const isSentence = action.kind === 'say';
    const count = isSentence ? ++this.#sentences : ++this.#actions;
    const most = isSentence ? MOST_SENTENCES : MOST_ACTIONS;
    if (count <= most) this.place(this.reserve(), action);
    else if (count === most + 1)
      this.fault(action.kind, `more than ${most} in one reply; the rest is dropped`);
  }

  fault(tag: string, problem: string): void {
    if (this.#faults.length < MOST_FAULTS) this.#faults.push({ tag, problem });
  }
}
