import { RetryLater } from './errors.ts';
import { EventLoopLimit } from './event-loop-limit.ts';
import { FairShare, type ReleasePlace, type ShareReading } from './fair-share.ts';
import { LimitedMap } from './limited-map.ts';
import type { ThreadUse } from './thread-use.ts';
import { type Clock, pause } from './time.ts';
import { type BucketSize, TokenBucket } from './token-bucket.ts';

/**
 * Milliseconds of the main thread that an account has for what is streamed to it. A model that writes a hundred tokens a
 * second takes a tenth of what comes back.
 */
const ALLOWANCE: BucketSize = { most: 25, perSecond: 50 };
/** Accounts that read beyond their allowance at a time. */
const MAX_READING = 5;
/**
 * How long they rest for what they have read, for each that does: of one alone, three times as long, which leaves it a
 * quarter of the thread; of five, eleven times, which leaves each a twelfth. On a busy thread they rest longer: what they
 * have started is also done where nobody counts it, as in the database and for files.
 */
const REST = { atLeast: 1, forEach: 2, mostForBusy: 10 } as const;
/** Streams that wait: as many as turns of models and sockets of platforms there may be. */
const MAX_WAITING = 5_000;
const WAIT_MS = 30_000;
const RETRY_S = 1;
/** By then, whoever has rested has read, and owes for it what the next one of its account has to rest. */
const GAP_MS = 1;
/** The most that one piece counts. Its reader may have waited for something else, and the process for its turn. */
const MAX_PIECE_MS = 10;
/** The 5,000 accounts that read last are always remembered. */
const MAX_ACCOUNTS = 10_000;
/** Whoever has used nothing for so long does not mind what others use. */
const IDLE_MS = 1_000;
/** Within this time, what an account has used counts half. */
const HALF_LIFE_MS = 500;

/**
 * What the account that holds up others may have done in one turn of the event loop, in which they wait for all of it. The
 * rest is begun in later turns, one thing in each.
 */
const MOST_IN_TURN_MS = 2;

/** A thread that is less busy has room. */
const ROOM_BELOW = 0.7;

/** What a chunk of a body takes, of one byte too, and a megabyte in whatever chunks: to be handed on, counted, and written. */
const CHUNK_MS = 0.03;
const MEGABYTE_MS = 1;

function msOf(chunk: Uint8Array): number {
  return CHUNK_MS + (chunk.byteLength * MEGABYTE_MS) / 1_048_576;
}

/** The account wants so much of the thread that this had to wait for too long. */
export class ReadingRefused extends RetryLater {
  constructor() {
    super('too_many_requests', RETRY_S, 'This account asks for too much at once');
  }
}

/**
 * Shares the main thread's time for what foreigners stream to it: models, and servers of platforms. It counts time, not
 * bytes: a megabyte of text takes less of it than a kilobyte of empty events.
 */
export class ReadingTime {
  readonly #clock: Clock;
  readonly #share: FairShare;
  readonly #company: Company;
  readonly #readers = new LimitedMap<Reader>(MAX_ACCOUNTS);
  /** What one account does often follows each other. */
  #latest: Reader | null = null;

  /** `use`: of the thread. Default: it is idle. */
  constructor(clock: Clock, use: Pick<ThreadUse, 'busy'> = { busy: 0 }) {
    this.#clock = clock;
    this.#company = new Company(use);
    const limits = { total: MAX_READING, each: 1, mostWaiting: MAX_WAITING };
    this.#share = new FairShare({ clock, ...limits });
  }

  /** For metrics. */
  get share(): ShareReading {
    return this.#share;
  }

  nowMs(): number {
    return this.#clock.monotonicMs();
  }

  /** What all work for an account is counted by, for the strangers of a network, or for a server that accounts share. */
  of(owner: string): Reader {
    if (this.#latest?.owner === owner) return this.#latest;
    const reader = this.#readers.get(owner) ?? new Reader(owner, this.#clock, this.#share, this.#company);
    this.#readers.set(owner, reader);
    this.#latest = reader;
    return reader;
  }
}

/** What an account has used of the thread lately. */
class RecentUse {
  #ms = 0;
  #atMs = 0;

  add(usedMs: number, nowMs: number): void {
    this.#ms = this.at(nowMs) + usedMs;
    this.#atMs = nowMs;
  }

  at(nowMs: number): number {
    return this.#ms * 2 ** ((this.#atMs - nowMs) / HALF_LIFE_MS);
  }
}

/** Who uses the thread. */
class Company {
  readonly #thread: Pick<ThreadUse, 'busy'>;
  /** Whoever has used it most, and whoever used it last. */
  #most: RecentUse | null = null;
  #latest: RecentUse | null = null;
  #latestMs = Number.NEGATIVE_INFINITY;
  /** When any other account than the latest used the thread. */
  #othersMs = Number.NEGATIVE_INFINITY;
  #turn = 0;
  #isTurnWatched = false;

  constructor(thread: Pick<ThreadUse, 'busy'>) {
    this.#thread = thread;
  }

  /** The turn of the event loop: another number in each. */
  get turn(): number {
    if (!this.#isTurnWatched) {
      this.#isTurnWatched = true;
      setImmediate(() => {
        this.#isTurnWatched = false;
        this.#turn += 1;
      });
    }
    return this.#turn;
  }

  /** How many times as long as on an idle thread somebody rests. */
  get patience(): number {
    return Math.min(1 / Math.max(0, 1 - this.#thread.busy) ** 2, REST.mostForBusy);
  }

  /** Whether the thread could do more. */
  get hasRoom(): boolean {
    return this.#thread.busy < ROOM_BELOW;
  }

  note(use: RecentUse, nowMs: number): void {
    if (use !== this.#latest) {
      this.#othersMs = this.#latestMs;
      this.#latest = use;
    }
    this.#latestMs = nowMs;
    if (this.#most === use) return;
    if (this.#most === null || use.at(nowMs) > this.#most.at(nowMs)) this.#most = use;
  }

  /** Whether others use the thread, and nobody uses it more. */
  isHeldUpBy(use: RecentUse, clock: Clock): boolean {
    return use === this.#most && this.isBeside(use, clock);
  }

  /** Whether others use the thread. An account that was always alone does not even read the clock. */
  isBeside(use: RecentUse, clock: Clock): boolean {
    const othersMs = use === this.#latest ? this.#othersMs : this.#latestMs;
    return othersMs !== Number.NEGATIVE_INFINITY && clock.monotonicMs() - othersMs < IDLE_MS;
  }
}

/** Holds an account's streams to its share. Before each piece a stream waits for its turn; after it, the time counts. */
export class Reader {
  readonly owner: string;
  readonly #clock: Clock;
  readonly #share: FairShare;
  readonly #company: Company;
  readonly #allowance: TokenBucket;
  readonly #use = new RecentUse();
  readonly #begun = new EventLoopLimit(1);
  /** Time that was used and not yet made up for. */
  #owedMs = 0;
  /** The turn of the event loop that was asked about last, and the time used since. */
  #turn = -1;
  #turnMs = 0;

  constructor(owner: string, clock: Clock, share: FairShare, company: Company) {
    this.owner = owner;
    this.#clock = clock;
    this.#share = share;
    this.#company = company;
    this.#allowance = new TokenBucket(clock, ALLOWANCE);
  }

  /** Whether the account may read on at once. What it has read then comes off its allowance. */
  mayReadOn(): boolean {
    if (!this.#allowance.take(this.#owedMs)) return false;
    this.#owedMs = 0;
    return true;
  }

  /** Milliseconds of the thread that the account has used lately. */
  get recentMs(): number {
    return this.#use.at(this.#clock.monotonicMs());
  }

  /** Whether other accounts use the thread. */
  get hasCompany(): boolean {
    return this.#company.isBeside(this.#use, this.#clock);
  }

  /** Whether the account uses the thread more than any other, and others use it. */
  get holdsUpOthers(): boolean {
    return this.#company.isHeldUpBy(this.#use, this.#clock);
  }

  /**
   * Whether a request may be answered at once: within the allowance, and beyond it unless the account uses the thread more
   * than any other, of which there is one. That one has a part of each turn of the event loop.
   */
  mayGoOn(): boolean {
    if (this.hasHadItsTurn) return false;
    if (this.mayReadOn()) return true;
    if (this.holdsUpOthers) return false;
    this.#owedMs = 0;
    return true;
  }

  /** Counts the time of a piece that was begun at `sinceMs`, by the clock. */
  count(sinceMs: number): void {
    const nowMs = this.#clock.monotonicMs();
    this.#add(Math.min(nowMs - sinceMs, MAX_PIECE_MS), nowMs);
  }

  /** Counts work whose time is known. */
  charge(ms: number): void {
    this.#add(ms, this.#clock.monotonicMs());
  }

  /** Whether the account holds up others, and has had its part of this turn of the event loop. */
  get hasHadItsTurn(): boolean {
    if (!this.holdsUpOthers) return false;
    const { turn } = this.#company;
    if (turn !== this.#turn) this.#turnMs = 0;
    this.#turn = turn;
    return this.#turnMs > MOST_IN_TURN_MS;
  }

  /** Counts what an account that nobody shares the thread with never has to rest for: its queries, and what sockets send. */
  note(usedMs: number): void {
    this.#count(usedMs, this.#clock.monotonicMs());
    if (this.holdsUpOthers) this.#owedMs += usedMs;
  }

  #add(usedMs: number, nowMs: number): void {
    this.#owedMs += usedMs;
    this.#count(usedMs, nowMs);
  }

  #count(usedMs: number, nowMs: number): void {
    this.#turnMs += usedMs;
    this.#use.add(usedMs, nowMs);
    this.#company.note(this.#use, nowMs);
  }

  /** Does work that counts, whether it is the account's turn or not. */
  counting<Result>(work: () => Result): Result {
    const sinceMs = this.#clock.monotonicMs();
    try {
      return work();
    } finally {
      this.count(sinceMs);
    }
  }

  /**
   * Yields bytes in pieces of at most `mostBytes`, each once `turn` resolves. What whoever reads them does with a piece
   * counts.
   */
  async *pieces<Bytes extends Uint8Array>(
    bytes: Bytes,
    mostBytes: number,
    turn: () => Promise<void>,
  ): AsyncGenerator<Bytes, void> {
    for (let at = 0; at < bytes.length; at += mostBytes) {
      await turn();
      const sinceMs = this.#clock.monotonicMs();
      yield bytes.subarray(at, at + mostBytes) as Bytes;
      this.count(sinceMs);
    }
  }

  /** Yields the chunks of a body no faster than the account may read them. Throws as `turn` rejects. */
  async *chunks(
    body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array, void> {
    for await (const chunk of body) {
      this.charge(msOf(chunk));
      await this.goOn(signal);
      yield chunk;
    }
  }

  /**
   * Resolves when the account may do a little more, of which others have to wait for one in each turn of the event loop. It
   * is for what has begun and is paid for by what is asked next.
   */
  async share(chunk: Uint8Array): Promise<void> {
    if (this.hasHadItsTurn) await this.nextTurn();
    this.note(msOf(chunk));
  }

  /** Resolves in a later turn of the event loop, when it is this piece of the account's work that is due. */
  nextTurn(): Promise<void> {
    return this.#begun.enter();
  }

  /** Resolves at once, unless the account holds up others: then when it is its turn. Rejects as `turn`. */
  async goOn(signal: AbortSignal): Promise<void> {
    if (!this.mayGoOn()) await this.turn(signal);
  }

  /** As `turn`, for what comes in small pieces: nobody rests for them while the thread has room, and others come in between. */
  async pieceTurn(signal: AbortSignal): Promise<void> {
    if (!this.#company.hasRoom) return await this.turn(signal);
    this.#owedMs = 0;
    if (this.hasHadItsTurn) await this.nextTurn();
    signal.throwIfAborted();
  }

  /** Resolves when the account may read on. Rejects with ReadingRefused, or with the signal's reason once it aborts. */
  async turn(signal: AbortSignal): Promise<void> {
    if (this.holdsUpOthers) await this.nextTurn();
    signal.throwIfAborted();
    if (this.mayReadOn()) return;
    const release = await this.#place(signal);
    const restMs = this.#owedMs * (REST.atLeast + REST.forEach * this.#share.taken) * this.#company.patience;
    this.#owedMs = 0;
    await pause(this.#clock, restMs, signal);
    this.#clock.after(GAP_MS, release);
    signal.throwIfAborted();
  }

  /** Does work that reads something as a whole, when it is the account's turn. Rejects as `turn`. */
  async read<Result>(signal: AbortSignal, work: () => Result): Promise<Result> {
    await this.turn(signal);
    return this.counting(work);
  }

  async #place(signal: AbortSignal): Promise<ReleasePlace> {
    const release = await this.#share.take(this.owner, WAIT_MS, signal);
    if (release !== null) return release;
    signal.throwIfAborted();
    throw new ReadingRefused();
  }
}
