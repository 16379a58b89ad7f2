import { TooManyAttempts } from '../../../base/errors.ts';
import { LimitedMap } from '../../../base/limited-map.ts';
import type { Reader, ReadingTime } from '../../../base/reading-time.ts';
import type { Clock } from '../../../base/time.ts';
import { type BucketSize, TokenBucket } from '../../../base/token-bucket.ts';

/** What something that a client sends costs, and why its socket closes when the client cannot pay. */
export interface Price {
  /** For the metrics. */
  readonly of: string;
  /** About what it takes of the main thread, in half microseconds. */
  readonly units: number;
  readonly bytesPerUnit: number;
  /** Reason in the close frame. */
  readonly reason: string;
}

/** Audio, which is copied. */
export const BINARY: Price = {
  of: 'binary',
  units: 1,
  bytesPerUnit: 2_048,
  reason: 'too much audio at once',
};
/** Less than ten milliseconds of any audio: who sends it sends as many as fit. */
export const SCRAP: Price = { ...BINARY, of: 'scrap', units: 4 };
export const SCRAP_BYTES = 40;
/** A message, which is parsed. */
export const TEXT: Price = { of: 'text', units: 14, bytesPerUnit: 256, reason: 'too many messages at once' };
/** Both libraries answer it themselves. */
export const PING: Price = { of: 'ping', units: 4, bytesPerUnit: 64, reason: 'too many pings' };
export const PONG: Price = { of: 'pong', units: 1, bytesPerUnit: 64, reason: 'too many pongs' };
/** The heartbeat of some clients, which send one every few seconds. */
export const UNASKED_PONG: Price = { ...PONG, of: 'unasked_pong', units: 40 };
/** A message that is answered with a fault, in addition to the message. */
export const FAULT: Price = {
  of: 'fault',
  units: 60,
  bytesPerUnit: 256,
  reason: 'too many invalid messages',
};
/** Frames that no library tells of, as empty continuations of a message. They are found later, so their account waits. */
export const UNHEARD: Price = {
  of: 'unheard',
  units: 0,
  bytesPerUnit: Number.POSITIVE_INFINITY,
  reason: 'too many empty frames',
};
/** For how long an account that has sent them may open no WebSocket. */
const BAN_MS = 10_000;

/** What a connection has at its opening: it must not pay to reconnect. */
const FIRST_UNITS = 100;
/** What a connection is given at a time, so that it reads the clock once in a hundred frames. */
const GRANT_UNITS = 100;
/** For what all connections of an account send at their own pace: at most a quarter of the main thread. */
const OWN: BucketSize = { most: 400_000, perSecond: 500_000 };
/** For what goes beyond: 20 ms at once, which is ten minutes of audio in small frames, and a tenth of the main thread. */
const SHARED: BucketSize = { most: 40_000, perSecond: 200_000 };
/** The 5,000 accounts that opened a socket last are always remembered. */
const MAX_ACCOUNTS = 10_000;

/** A unit, in milliseconds. */
const UNIT_MS = 0.0005;

interface AccountBudget {
  readonly reader: Reader;
  readonly own: TokenBucket;
  readonly shared: TokenBucket;
  bannedUntilMs: number;
}

interface BudgetEvents {
  spent(price: Price): void;
  ban(): void;
}

/** The budgets of all WebSockets. */
export class SocketBudgets {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #time: ReadingTime;
  readonly #onSpent: (of: string) => void;
  readonly #accounts = new LimitedMap<AccountBudget>(MAX_ACCOUNTS);

  /**
   * `time`: of the thread. `onSpent` is told of each connection closed because it had spent its own, by what the client
   * sent last.
   */
  constructor(clock: Pick<Clock, 'monotonicMs'>, time: ReadingTime, onSpent: (of: string) => void) {
    this.#clock = clock;
    this.#time = time;
    this.#onSpent = onSpent;
  }

  /** Throws TooManyAttempts while the account may open no WebSocket. */
  assertMayOpen(accountId: string): void {
    const leftMs = (this.#accounts.get(accountId)?.bannedUntilMs ?? 0) - this.#clock.monotonicMs();
    if (leftMs > 0)
      throw new TooManyAttempts(leftMs / 1_000, 'A WebSocket of this account sent too many empty frames');
  }

  /** The budget of a new connection. `pace`: what it may send whatever its account's other connections do. */
  open(accountId: string, pace: BucketSize): SocketBudget {
    const account = this.#accounts.get(accountId) ?? {
      reader: this.#time.of(accountId),
      own: new TokenBucket(this.#clock, OWN),
      shared: new TokenBucket(this.#clock, SHARED),
      bannedUntilMs: 0,
    };
    this.#accounts.set(accountId, account);
    const own = new TokenBucket(this.#clock, pace);
    own.take(pace.most);
    const ban = (): void => {
      account.bannedUntilMs = this.#clock.monotonicMs() + BAN_MS;
    };
    return new SocketBudget(own, account, { spent: ({ of }) => this.#onSpent(of), ban });
  }
}

/**
 * Limits what one WebSocket takes of the main thread. A library handles everything that has arrived, and what arrives
 * meanwhile, before anything else runs: without a limit, eight million empty pongs are handled in one go.
 *
 * A connection pays from what it earns at its own pace, then from what all connections of its account share. So a
 * connection that keeps its pace is not affected by the others. Nothing waits: uWebSockets.js cannot pause a WebSocket,
 * and keeping the frames would cost as much as handling them.
 */
export class SocketBudget {
  readonly #own: TokenBucket;
  readonly #account: AccountBudget;
  readonly #events: BudgetEvents;
  #units = FIRST_UNITS;
  #unansweredPings = 0;

  constructor(own: TokenBucket, account: AccountBudget, events: BudgetEvents) {
    this.#own = own;
    this.#account = account;
    this.#events = events;
  }

  /** Returns false if the connection must be closed. */
  pay(price: Price, bytes: number): boolean {
    this.#units -= price.units + bytes / price.bytesPerUnit;
    if (this.#units >= 0 || this.#isGranted(Math.max(GRANT_UNITS, -this.#units), price)) return true;
    this.#events.spent(price);
    return false;
  }

  /** Counts as spent at once, and keeps the account from opening others for a while. */
  ban(price: Price): void {
    this.#events.spent(price);
    this.#events.ban();
  }

  /** Notes that the gateway has sent a ping, which the client has to answer. */
  pinged(): void {
    this.#unansweredPings += 1;
  }

  priceOfPong(): Price {
    if (this.#unansweredPings === 0) return UNASKED_PONG;
    this.#unansweredPings -= 1;
    return PONG;
  }

  #isGranted(units: number, price: Price): boolean {
    const { own, shared, reader } = this.#account;
    const isInPace = this.#own.take(units) && own.take(units);
    if (!isInPace && !(this.#mayBurst(price) && shared.take(units))) return false;
    reader.note(units * UNIT_MS);
    this.#units += units;
    return true;
  }

  /** Audio may come for minutes at once. Anything else, beside others, is no more than a part of a turn of the event loop. */
  #mayBurst({ of }: Price): boolean {
    return of === BINARY.of || !this.#account.reader.hasHadItsTurn;
  }
}
