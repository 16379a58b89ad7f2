import { randomInt } from 'node:crypto';
import type { IncomingInviteRequest, IncomingPrackRequest } from 'sip.js/lib/core/index.js';
import type { CancelTimer, Clock } from '../../../../base/time.ts';
import { T1_MS, TRANSACTION_TIMEOUT_MS } from '../transactions/transaction-timers.ts';

/** A 180 that is repeated until the caller's PRACK arrives (RFC 3262 section 3). */
export class ReliableRinging {
  readonly #request: IncomingInviteRequest;
  readonly #clock: Clock;
  readonly #onUnacknowledged: () => void;
  readonly #rseq = randomInt(1, 2 ** 30);
  #cancelRepeat: CancelTimer = () => {};

  constructor(request: IncomingInviteRequest, clock: Clock, onUnacknowledged: () => void) {
    this.#request = request;
    this.#clock = clock;
    this.#onUnacknowledged = onUnacknowledged;
  }

  start(): void {
    this.#send(T1_MS, 0);
  }

  stop(): void {
    this.#cancelRepeat();
  }

  #send(intervalMs: number, elapsedMs: number): void {
    const { session } = this.#request.progress({
      statusCode: 180,
      extraHeaders: ['Require: 100rel', `RSeq: ${this.#rseq}`],
    });
    session.delegate = { onPrack: (prack) => this.#acknowledged(prack) };
    this.#cancelRepeat = this.#clock.after(intervalMs, () => {
      if (elapsedMs + intervalMs >= TRANSACTION_TIMEOUT_MS) this.#onUnacknowledged();
      else this.#send(intervalMs * 2, elapsedMs + intervalMs);
    });
  }

  #acknowledged(prack: IncomingPrackRequest): void {
    const expected = new RegExp(`^${this.#rseq}\\s+${this.#request.message.cseq}\\s+INVITE$`);
    if (!expected.test(prack.message.getHeader('rack') ?? '')) {
      prack.reject({ statusCode: 481 });
      return;
    }
    this.#cancelRepeat();
    prack.accept();
  }
}
