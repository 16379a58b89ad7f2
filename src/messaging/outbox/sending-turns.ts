import type { LoginRef } from '../../base/address.ts';
import { FairShare, type ReleasePlace, type ShareReading } from '../../base/fair-share.ts';
import { onBehalfOf } from '../../base/on-behalf.ts';
import type { Clock } from '../../base/time.ts';
import type { Messenger, SendOutcome } from '../../connectors/contract/messenger.ts';
import type { MessagePlatform } from '../../store/messages/message-tables.ts';

/** Messages handed to platforms at a time, of all accounts; one has half. Each holds a socket until it is answered. */
const MOST_AT_ONCE = 1_000;
/** Waits in all: as many as messages there may be. */
const MOST_WAITING = 10_000;
/** A login that all accounts share sends as many messages as it may within this time. */
const PACE_MS = 1_000;

/** Whose message it is, and over which login it goes. */
export interface TurnOf {
  readonly accountId: string;
  readonly platform: MessagePlatform;
  /** Null: there is none any more. */
  readonly login: LoginRef | null;
}

export interface TurnLimits {
  readonly withinMs: number;
  /** Ends the wait. */
  readonly signal: AbortSignal;
}

/**
 * Whose message is handed to its platform next. Accounts share what the gateway sends at a time, and of a login that all of
 * them use, what its platform takes in a second: one that sends much does not have the others wait, nor has the platform
 * refuse theirs.
 */
export class SendingTurns {
  /** For metrics. */
  readonly all: FairShare;
  readonly #clock: Clock;
  readonly #shared: ReadonlyMap<MessagePlatform, FairShare>;

  constructor(clock: Clock, messengers: ReadonlyMap<MessagePlatform, Messenger>) {
    this.#clock = clock;
    const shareOf = (total: number) =>
      new FairShare({ clock, total, each: total, keepsRoom: true, mostWaiting: MOST_WAITING });
    this.all = shareOf(MOST_AT_ONCE);
    const paced = [...messengers].flatMap(([platform, { mostPerSecond }]) =>
      mostPerSecond === undefined ? [] : [[platform, shareOf(mostPerSecond)] as const],
    );
    this.#shared = new Map(paced);
  }

  /** For metrics: the shares of the logins that all accounts use. */
  get shared(): ReadonlyMap<MessagePlatform, ShareReading> {
    return this.#shared;
  }

  /** Tries once to send a message when it is its account's turn. Null: that was not in time. */
  async during<Outcome extends SendOutcome | undefined>(
    whose: TurnOf,
    { withinMs, signal }: TurnLimits,
    send: () => Promise<Outcome>,
  ): Promise<Outcome | null> {
    const endMs = this.#clock.monotonicMs() + withinMs;
    const leave = await this.all.take(whose.accountId, withinMs, signal);
    if (leave === null) return null;
    try {
      const limits = { withinMs: endMs - this.#clock.monotonicMs(), signal };
      return await onBehalfOf(whose.accountId, () => this.#paced(whose, limits, send));
    } finally {
      leave();
    }
  }

  async #paced<Outcome extends SendOutcome | undefined>(
    { accountId, platform, login }: TurnOf,
    { withinMs, signal }: TurnLimits,
    send: () => Promise<Outcome>,
  ): Promise<Outcome | null> {
    const share = login?.kind === 'shared' ? this.#shared.get(platform) : undefined;
    if (share === undefined) return await send();
    const leave = await share.take(accountId, withinMs, signal);
    if (leave === null) return null;
    const sinceMs = this.#clock.monotonicMs();
    let restMs = PACE_MS;
    try {
      const outcome = await send();
      // Whom the platform has told to wait has that much less of the login meanwhile.
      if (outcome?.kind === 'later') restMs = Math.max(restMs, outcome.afterMs);
      return outcome;
    } finally {
      this.#leaveLater(leave, restMs - (this.#clock.monotonicMs() - sinceMs));
    }
  }

  #leaveLater(leave: ReleasePlace, restMs: number): void {
    if (restMs > 0) this.#clock.after(restMs, leave);
    else leave();
  }
}
