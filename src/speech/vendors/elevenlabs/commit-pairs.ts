import type { CancelTimer, Clock } from '../../../base/time.ts';
import type { VendorMessage } from '../../vendor-message.ts';
import { textAt } from '../../vendor-message.ts';

/** How long a commit without times waits for the one with times. */
const PARTNER_MS = 500;
/** Commits that wait. Beyond that the oldest is passed on without times. */
const MAX_WAITING = 8;
/** Commits that are remembered because their partner may still come. */
const MAX_SINGLE = 8;

interface Waiting {
  readonly message: VendorMessage;
  readonly cancel: CancelTimer;
}

/** A commit that was passed on alone. */
interface Single {
  readonly text: string;
  readonly hasTimes: boolean;
}

/**
 * Each commit of ElevenLabs comes twice, without and with times, in this order as a rule. Passes each one on once, with
 * times if they come within half a second.
 */
export class CommitPairs {
  readonly #clock: Clock;
  readonly #take: (message: VendorMessage) => void;
  readonly #waiting: Waiting[] = [];
  readonly #single: Single[] = [];

  constructor(clock: Clock, take: (message: VendorMessage) => void) {
    this.#clock = clock;
    this.#take = take;
  }

  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** Returns whether this is a new commit, and not the partner of another one. */
  add(message: VendorMessage, hasTimes: boolean): boolean {
    if (this.#isPartner(textOf(message), hasTimes)) return false;
    if (!hasTimes) {
      const cancel = this.#clock.after(PARTNER_MS, () => this.#passOldest());
      this.#waiting.push({ message, cancel });
      if (this.#waiting.length > MAX_WAITING) this.#passOldest();
      return true;
    }
    const partner = this.#waiting.shift();
    partner?.cancel();
    if (partner === undefined) this.#remember(message, true);
    this.#take(message);
    return partner === undefined;
  }

  /** Passes on what waits. */
  flush(): void {
    while (this.isWaiting) this.#passOldest();
  }

  /** Passes on what waits. Nothing that has come has a partner any more. */
  reset(): void {
    this.flush();
    this.#single.length = 0;
  }

  #passOldest(): void {
    const oldest = this.#waiting.shift();
    if (oldest === undefined) return;
    oldest.cancel();
    this.#remember(oldest.message, false);
    this.#take(oldest.message);
  }

  /** Returns whether this commit was passed on already, alone. */
  #isPartner(text: string, hasTimes: boolean): boolean {
    const at = this.#single.findIndex((single) => single.hasTimes !== hasTimes && single.text === text);
    if (at < 0) return false;
    this.#single.splice(at, 1);
    return true;
  }

  #remember(message: VendorMessage, hasTimes: boolean): void {
    this.#single.push({ text: textOf(message), hasTimes });
    if (this.#single.length > MAX_SINGLE) this.#single.shift();
  }
}

function textOf(message: VendorMessage): string {
  return (textAt(message, 'text') ?? '').trim();
}
