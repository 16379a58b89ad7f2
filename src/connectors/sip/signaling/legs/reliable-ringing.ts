import { randomInt } from 'node:crypto';
import type { CancelTimer, Clock } from '../../../../base/time.ts';
import {
  forgetAnswer,
  type IncomingInviteRequest,
  type IncomingPrackRequest,
  type Session,
} from '../core/sip-core.ts';
import { T1_MS, TRANSACTION_TIMEOUT_MS } from '../transactions/transaction-timers.ts';
import { sdpBody } from './leg-session.ts';

interface ReliableRingingDeps {
  readonly clock: Clock;
  /** Takes the answer to our offer. */
  accept(sdp: string): Promise<boolean>;
  unacknowledged(): void;
}

/** A 180 that is repeated until the caller's PRACK arrives (RFC 3262 section 3). It may carry our offer. */
export class ReliableRinging {
  readonly #request: IncomingInviteRequest;
  readonly #deps: ReliableRingingDeps;
  readonly #rseq = randomInt(1, 2 ** 30);
  readonly #answered = Promise.withResolvers<void>();
  #offer: string | null = null;
  #cancelRepeat: CancelTimer = () => {};

  constructor(request: IncomingInviteRequest, deps: ReliableRingingDeps) {
    this.#request = request;
    this.#deps = deps;
  }

  get hasOffered(): boolean {
    return this.#offer !== null;
  }

  /** Resolves once an offer that it carries is answered, or need not be. */
  get answered(): Promise<void> {
    return this.hasOffered ? this.#answered.promise : Promise.resolve();
  }

  start(offer: string | null): void {
    this.#offer = offer;
    this.#send(T1_MS, 0);
  }

  stop(): void {
    this.#cancelRepeat();
    this.#answered.resolve();
  }

  #send(intervalMs: number, elapsedMs: number): void {
    const { session } = this.#request.progress({
      statusCode: 180,
      extraHeaders: ['Require: 100rel', `RSeq: ${this.#rseq}`],
      ...(this.#offer === null ? {} : { body: sdpBody(this.#offer) }),
    });
    session.delegate = { onPrack: (prack) => void this.#acknowledged(session, prack) };
    this.#cancelRepeat = this.#deps.clock.after(intervalMs, () => {
      if (elapsedMs + intervalMs >= TRANSACTION_TIMEOUT_MS) this.#deps.unacknowledged();
      else this.#send(intervalMs * 2, elapsedMs + intervalMs);
    });
  }

  async #acknowledged(session: Session, prack: IncomingPrackRequest): Promise<void> {
    const expected = new RegExp(`^${this.#rseq}\\s+${this.#request.message.cseq}\\s+INVITE$`);
    if (!expected.test(prack.message.getHeader('rack') ?? '')) {
      prack.reject({ statusCode: 481 });
      return;
    }
    this.#cancelRepeat();
    prack.accept();
    forgetAnswer(session);
    const { body } = prack.message;
    if (this.#offer !== null && body !== '') await this.#deps.accept(body).catch(() => false);
    this.#answered.resolve();
  }
}
