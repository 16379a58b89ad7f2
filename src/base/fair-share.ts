import { LimitedMap } from './limited-map.ts';
import type { Clock } from './time.ts';

/** Gives back a place. Safe to call twice. */
export type ReleasePlace = () => void;

export interface FairShareOptions {
  readonly clock: Clock;
  /** Places in all. */
  readonly total: number;
  /** Places of one owner, however many are free. */
  readonly each: number;
  /** Owners hold places for long, so that nobody takes the last ones: an owner may hold as many as are left over. */
  readonly keepsRoom?: true;
  /** Waits in all. When there are more, the owner with the largest share loses its last one. */
  readonly mostWaiting: number;
  /** Places that the patient leave free. Default: none. */
  readonly reserve?: number;
}

/** How long somebody waits for a place, and what they are told when there is none. */
export interface TurnWanted {
  readonly withinMs: number;
  readonly refusal: () => Error;
  readonly signal?: AbortSignal;
}

/** What metrics tell of a share. */
export interface ShareReading {
  /** Places in use. */
  readonly taken: number;
  /** Waits for a place. */
  readonly waiting: number;
  /** Waits that ended without a place, since the start. */
  readonly refused: number;
}

interface Owner {
  held: number;
  /** The patient ones last. */
  readonly waiting: Waiter[];
}

interface Waiter {
  /** Whether everybody else comes first. */
  readonly isPatient: boolean;
  /** Called once: with the release of its place, or with null. */
  end(release: ReleasePlace | null): void;
}

interface Use {
  starts: number;
  atMs: number;
}

/** Within this time, what somebody has used counts half. */
const HALF_LIFE_MS = 30_000;
/** The 25,000 owners that were served last are always remembered. */
const MAX_OWNERS = 50_000;

/**
 * Shares what only so much of can be used at a time: between accounts, or between the networks of strangers. Whoever has
 * had the least in the last minute comes first, so that somebody new does not wait behind those who want much.
 *
 * With `keepsRoom` the limit of an owner moves with what is free, as in a switch that shares its memory between ports
 * (Choudhury and Hahne, "Dynamic queue length thresholds for shared-memory packet switches", 1998): one owner alone gets
 * half, two a third each, and there is always room for the next.
 */
export class FairShare implements ShareReading {
  readonly #options: FairShareOptions;
  readonly #owners = new Map<string, Owner>();
  readonly #uses = new LimitedMap<Use>(MAX_OWNERS);
  #taken = 0;
  #waiting = 0;
  #refused = 0;

  constructor(options: FairShareOptions) {
    this.#options = options;
  }

  get taken(): number {
    return this.#taken;
  }

  get waiting(): number {
    return this.#waiting;
  }

  get refused(): number {
    return this.#refused;
  }

  /**
   * Resolves with the release of a place, or with null: there was none within `withinMs`, too many wait, or `signal` has
   * aborted, which ends the wait at once. `isPatient`: it waits as long as anybody waits who is not.
   */
  async take(
    name: string,
    withinMs: number,
    signal?: AbortSignal,
    isPatient = false,
  ): Promise<ReleasePlace | null> {
    if (signal?.aborted) return null;
    const free = this.#giveFree(name, isPatient);
    if (free !== null) return free;
    const owner = this.#find(name);
    this.#owners.set(name, owner);
    const { promise, resolve } = Promise.withResolvers<ReleasePlace | null>();
    const withdraw = (): void => this.#end(name, waiter);
    const cancel = this.#options.clock.after(withinMs, () => this.#refuse(name, waiter));
    const end = (release: ReleasePlace | null) => {
      cancel();
      signal?.removeEventListener('abort', withdraw);
      resolve(release);
    };
    const waiter: Waiter = { isPatient, end };
    signal?.addEventListener('abort', withdraw, { once: true });
    const behind = isPatient ? -1 : owner.waiting.findIndex((each) => each.isPatient);
    owner.waiting.splice(behind < 0 ? owner.waiting.length : behind, 0, waiter);
    this.#waiting += 1;
    if (this.#waiting > this.#options.mostWaiting) this.#refuseOne();
    return await promise;
  }

  /** Returns the release of a place, or null when none is free. */
  takeNow(name: string): ReleasePlace | null {
    const release = this.#giveFree(name);
    if (release === null) this.#refused += 1;
    return release;
  }

  /** Whether `name` may take a place now. If not, this counts as a refusal. */
  hasRoom(name: string): boolean {
    const owner = this.#find(name);
    const has = owner.waiting.length === 0 && this.#mayHold(owner);
    if (!has) this.#refused += 1;
    return has;
  }

  /** Takes a place whether or not one is free, for what was admitted before. */
  hold(name: string): ReleasePlace {
    const owner = this.#find(name);
    this.#owners.set(name, owner);
    return this.#give(name, owner);
  }

  /** Does `work` in a place. Rejects with `refusal()` when there is none in time, or with the reason of the signal. */
  async run<T>(name: string, { withinMs, refusal, signal }: TurnWanted, work: () => Promise<T>): Promise<T> {
    const release = await this.take(name, withinMs, signal);
    if (release === null) {
      signal?.throwIfAborted();
      throw refusal();
    }
    try {
      return await work();
    } finally {
      release();
    }
  }

  /** An owner that holds nothing and waits for nothing is not kept. */
  #find(name: string): Owner {
    return this.#owners.get(name) ?? { held: 0, waiting: [] };
  }

  /** Gives a place that nobody waits for. */
  #giveFree(name: string, isPatient = false): ReleasePlace | null {
    const owner = this.#find(name);
    const waitsInFront = owner.waiting.some((waiter) => isPatient || !waiter.isPatient);
    if (waitsInFront || !this.#mayHold(owner, isPatient)) return null;
    this.#owners.set(name, owner);
    return this.#give(name, owner);
  }

  #mayHold({ held }: Owner, isPatient = false): boolean {
    const { total, each, keepsRoom = false, reserve = 0 } = this.#options;
    const free = total - this.#taken - (isPatient ? reserve : 0);
    return free > 0 && held < each && (!keepsRoom || held === 0 || held < free);
  }

  #give(name: string, owner: Owner): ReleasePlace {
    owner.held += 1;
    this.#taken += 1;
    this.#countUse(name);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      owner.held -= 1;
      this.#taken -= 1;
      this.#forget(name, owner);
      this.#admit();
    };
  }

  #admit(): void {
    for (let next = this.#next(); next; next = this.#next()) {
      const [name, owner] = next;
      const waiter = owner.waiting.shift()!;
      this.#waiting -= 1;
      waiter.end(this.#give(name, owner));
    }
  }

  /** Whose turn it is. */
  #next(): [string, Owner] | null {
    let first: [string, Owner] | null = null;
    let least = Number.POSITIVE_INFINITY;
    let arePatient = true;
    for (const entry of this.#waiting === 0 ? [] : this.#owners) {
      const [name, owner] = entry;
      const [waiter] = owner.waiting;
      if (waiter === undefined || (waiter.isPatient && !arePatient)) continue;
      if (!this.#mayHold(owner, waiter.isPatient)) continue;
      const share = this.#shareOf(name, owner);
      if (waiter.isPatient === arePatient && share >= least) continue;
      arePatient = waiter.isPatient;
      least = share;
      first = entry;
    }
    return first;
  }

  /** Ends the last wait of whoever wants or has the most. */
  #refuseOne(): void {
    let most = -1;
    let greedy: [string, Owner] | null = null;
    for (const entry of this.#owners) {
      const [name, owner] = entry;
      const wanted = owner.waiting.length === 0 ? -1 : owner.waiting.length + this.#shareOf(name, owner);
      if (wanted < most || owner.waiting.length === 0) continue;
      most = wanted;
      greedy = entry;
    }
    if (greedy === null) return;
    this.#countRefusal(greedy[0]);
    this.#refuse(greedy[0], greedy[1].waiting.at(-1)!);
  }

  #refuse(name: string, waiter: Waiter): void {
    this.#refused += 1;
    this.#end(name, waiter);
  }

  /** Ends a wait without a place. */
  #end(name: string, waiter: Waiter): void {
    const owner = this.#owners.get(name)!;
    owner.waiting.splice(owner.waiting.indexOf(waiter), 1);
    this.#waiting -= 1;
    this.#forget(name, owner);
    waiter.end(null);
  }

  #forget(name: string, owner: Owner): void {
    if (owner.held === 0 && owner.waiting.length === 0) this.#owners.delete(name);
  }

  #shareOf(name: string, { held }: Owner): number {
    return held + this.#recentStarts(this.#uses.get(name));
  }

  #recentStarts(use: Use | undefined): number {
    if (!use) return 0;
    return use.starts * 2 ** ((use.atMs - this.#options.clock.monotonicMs()) / HALF_LIFE_MS);
  }

  #countUse(name: string): void {
    this.#noteStarts(name, this.#recentStarts(this.#uses.get(name)) + 1);
  }

  /** Who was refused is not new any more: otherwise, in a rush of many, somebody new would be refused like the rest. */
  #countRefusal(name: string): void {
    this.#noteStarts(name, Math.max(1, this.#recentStarts(this.#uses.get(name))));
  }

  #noteStarts(name: string, starts: number): void {
    this.#uses.set(name, { starts, atMs: this.#options.clock.monotonicMs() });
  }
}
