import type { CancelTimer, Clock } from '../../../../base/time.ts';
import type { SipObserver } from '../sip-observer.ts';
import type { Destination } from '../transport/wire.ts';
import { MAX_RINGING_MS, T1_MS, T2_MS, TRANSACTION_TIMEOUT_MS } from './transaction-timers.ts';

const MAX_TRANSACTIONS = 20_000;

/** The methods we send that expect a response. */
const ANSWERED_METHODS = ['INVITE', 'CANCEL', 'BYE', 'REGISTER', 'INFO', 'PRACK', 'OPTIONS'];

interface SentRequest<Owner> {
  readonly method: string;
  /** Receives the responses. */
  readonly owner: Owner;
  readonly destination: Destination;
  readonly resend: () => void;
}

/** A request of ours that is waiting for answers. */
interface ClientTransaction<Owner> extends SentRequest<Owner> {
  cancelResend: CancelTimer;
  cancelExpiry: CancelTimer;
  state: 'calling' | 'proceeding' | 'accepted' | 'refused';
  /** Sends our ACK to a final non-2xx answer again. */
  resendAck: (() => void) | null;
}

/**
 * Client transactions. Implements timers A and E, which sip.js lacks (RFC 3261 section 17.1): requests over UDP are
 * repeated until answered. Absorbs repeated final answers to INVITE by repeating the ACK (timer D), because sip.js
 * drops the transaction at once. Also finds the owner of each response.
 */
export class ClientTransactions<Owner> {
  readonly #clock: Clock;
  readonly #observer: SipObserver;
  readonly #table = new Map<string, ClientTransaction<Owner>>();

  constructor(clock: Clock, observer: SipObserver) {
    this.#clock = clock;
    this.#observer = observer;
  }

  get size(): number {
    return this.#table.size;
  }

  /**
   * Records a request that is being sent; `resend` sends it again. Only UDP needs this: TCP and TLS retransmit
   * themselves.
   */
  sent(branch: string, request: SentRequest<Owner>): void {
    const key = branch + request.method;
    this.#forget(key);
    const transaction: ClientTransaction<Owner> = {
      ...request,
      cancelResend: () => {},
      cancelExpiry: () => {},
      state: 'calling',
      resendAck: null,
    };
    if (this.#table.size >= MAX_TRANSACTIONS) this.#dropOldest();
    this.#table.set(key, transaction);
    this.#expire(key, transaction, TRANSACTION_TIMEOUT_MS);
    if (request.destination.protocol === 'udp') this.#repeat(transaction, T1_MS);
  }

  /** Whether a request with this branch is waiting for a response. */
  expects(branch: string): boolean {
    return ANSWERED_METHODS.some((method) => this.#table.has(branch + method));
  }

  /** Returns the owner of a request; null when it is not waiting for an answer. */
  ownerOf(branch: string, method: string): Owner | null {
    return this.#table.get(branch + method)?.owner ?? null;
  }

  /**
   * Returns the destination of this branch's INVITE. Its CANCEL and the ACK of its refusal must go there too (section
   * 9.1).
   */
  destinationOf(branch: string): Destination | null {
    return this.#table.get(`${branch}INVITE`)?.destination ?? null;
  }

  /** Records the ACK to a final non-2xx answer, which shares its INVITE's branch (section 17.1.1.3). */
  acknowledged(branch: string, resendAck: () => void): void {
    const transaction = this.#table.get(`${branch}INVITE`);
    if (transaction?.state === 'refused') transaction.resendAck = resendAck;
  }

  /** Handles a response. Returns its owner, `absorbed` for a repetition, or null when no request is waiting for it. */
  answered(branch: string, method: string, status: number): Owner | 'absorbed' | null {
    const key = branch + method;
    const transaction = this.#table.get(key);
    if (transaction === undefined) return null;
    if (transaction.state === 'refused') return this.#afterRefusal(transaction, status);
    if (status < 200) this.#provisional(key, transaction);
    else if (method !== 'INVITE') this.#forget(key);
    else this.#finalToInvite(key, transaction, status);
    return transaction.owner;
  }

  /** Drops all requests, or those of one owner. */
  clear(owner?: Owner): void {
    for (const [key, transaction] of this.#table) {
      if (owner === undefined || transaction.owner === owner) this.#forget(key);
    }
  }

  #provisional(key: string, transaction: ClientTransaction<Owner>): void {
    if (transaction.state === 'accepted') return;
    transaction.state = 'proceeding';
    if (transaction.method !== 'INVITE') return;
    transaction.cancelResend();
    this.#expire(key, transaction, MAX_RINGING_MS);
  }

  /** A refusal is final: its repetitions get our ACK again, and other late responses are ignored. */
  #afterRefusal(transaction: ClientTransaction<Owner>, status: number): 'absorbed' {
    if (status < 300) return 'absorbed';
    transaction.resendAck?.();
    this.#observer.count('retransmission');
    return 'absorbed';
  }

  /**
   * Handles a final answer. A 2xx never counts as repeated here: those of forks differ in their tag, and sip.js repeats
   * their ACKs.
   */
  #finalToInvite(key: string, transaction: ClientTransaction<Owner>, status: number): void {
    transaction.cancelResend();
    if (transaction.state !== 'accepted') this.#expire(key, transaction, TRANSACTION_TIMEOUT_MS);
    transaction.state = status < 300 ? 'accepted' : 'refused';
  }

  #repeat(transaction: ClientTransaction<Owner>, intervalMs: number): void {
    transaction.cancelResend = this.#clock.after(intervalMs, () => {
      this.#observer.count('retransmission');
      transaction.resend();
      this.#repeat(transaction, this.#nextInterval(transaction, intervalMs));
    });
  }

  /** INVITE intervals double without limit. Other requests are capped at T2, and use T2 after a 1xx. */
  #nextInterval(transaction: ClientTransaction<Owner>, intervalMs: number): number {
    if (transaction.method === 'INVITE') return intervalMs * 2;
    return transaction.state === 'proceeding' ? T2_MS : Math.min(intervalMs * 2, T2_MS);
  }

  #expire(key: string, transaction: ClientTransaction<Owner>, delayMs: number): void {
    transaction.cancelExpiry();
    transaction.cancelExpiry = this.#clock.after(delayMs, () => this.#forget(key));
  }

  #dropOldest(): void {
    const oldest = this.#table.keys().next().value;
    if (oldest !== undefined) this.#forget(oldest);
    this.#observer.count('table_overflow');
  }

  #forget(key: string): void {
    const transaction = this.#table.get(key);
    if (transaction === undefined) return;
    transaction.cancelResend();
    transaction.cancelExpiry();
    this.#table.delete(key);
  }
}
