import type { CancelTimer, Clock } from '../../../../base/time.ts';
import type { SipObserver } from '../sip-observer.ts';
import { MAX_RINGING_MS, T1_MS, T2_MS, TRANSACTION_TIMEOUT_MS } from './transaction-timers.ts';

const MAX_TRANSACTIONS = 20_000;

/** Sends a response to the source of its request. */
export type Reply = (text: string) => Promise<void>;

interface ReceivedRequest {
  readonly method: string;
  readonly reply: Reply;
  readonly reliable: boolean;
  /** Key shared with copies of the request that arrive by another path; null when there can be none. */
  readonly mergeKey: string | null;
}

interface ServerTransaction<Owner> extends ReceivedRequest {
  owner: Owner | null;
  finalText: string | null;
  cancelResend: CancelTimer;
  cancelExpiry: CancelTimer;
}

/**
 * Server transactions (RFC 3261 section 17.2). Keeps the return path of responses (RFC 3581), implements timer G, which
 * sip.js lacks, and answers repeated requests with the stored response (timers I and J, which sip.js sets to zero).
 */
export class ServerTransactions<Owner> {
  readonly #clock: Clock;
  readonly #observer: SipObserver;
  readonly #table = new Map<string, ServerTransaction<Owner>>();
  /** First transaction of each request by merge key, while that transaction exists. */
  readonly #firstCopies = new Map<string, string>();

  constructor(clock: Clock, observer: SipObserver) {
    this.#clock = clock;
    this.#observer = observer;
  }

  get size(): number {
    return this.#table.size;
  }

  /**
   * Records a request. Returns `repeated` when it was answered before and has just been sent the same answer again, and
   * `merged` when it arrived by two paths (RFC 3261 section 8.2.2.2).
   */
  received(key: string, request: ReceivedRequest): 'new' | 'pending' | 'repeated' | 'merged' {
    const known = this.#table.get(key);
    if (known === undefined) {
      const { mergeKey } = request;
      const isMerged = mergeKey !== null && this.#firstCopies.has(mergeKey);
      this.#insert(key, isMerged ? { ...request, mergeKey: null } : request);
      return isMerged ? 'merged' : 'new';
    }
    if (known.finalText === null) return 'pending';
    this.#observer.count('replayed_response');
    known.reply(known.finalText).catch(() => {});
    return 'repeated';
  }

  /** Returns the owner of a transaction; null when it is unknown or has no owner. */
  ownerOf(key: string): Owner | null {
    return this.#table.get(key)?.owner ?? null;
  }

  own(key: string, owner: Owner): void {
    const transaction = this.#table.get(key);
    if (transaction !== undefined) transaction.owner = owner;
  }

  /** Sends a response. Final ones, except a 2xx to INVITE, are stored; an INVITE refusal over UDP is retransmitted. */
  respond(key: string, method: string, status: number, text: string): Promise<void> {
    const transaction = this.#table.get(key);
    if (transaction === undefined) return Promise.reject(new Error('the SIP transaction has ended'));
    if (status >= 200) this.#expire(key, transaction);
    // The dialog itself retransmits the 2xx of an INVITE until the ACK (RFC 3261 section 13.3.1.4).
    if (status >= 300 || (status >= 200 && method !== 'INVITE')) this.#remember(transaction, text);
    return transaction.reply(text);
  }

  /** Stops timer G on the ACK for a refused INVITE. */
  acknowledged(inviteKey: string): void {
    this.#table.get(inviteKey)?.cancelResend();
  }

  clear(): void {
    for (const key of this.#table.keys()) this.#forget(key);
  }

  #insert(key: string, request: ReceivedRequest): void {
    if (this.#table.size >= MAX_TRANSACTIONS) {
      const oldest = this.#table.keys().next().value;
      if (oldest !== undefined) this.#forget(oldest);
      this.#observer.count('table_overflow');
    }
    const transaction: ServerTransaction<Owner> = {
      ...request,
      owner: null,
      finalText: null,
      cancelResend: () => {},
      cancelExpiry: () => {},
    };
    this.#table.set(key, transaction);
    if (request.mergeKey !== null) this.#firstCopies.set(request.mergeKey, key);
    this.#expire(key, transaction, request.method === 'INVITE' ? MAX_RINGING_MS : TRANSACTION_TIMEOUT_MS);
  }

  #remember(transaction: ServerTransaction<Owner>, text: string): void {
    transaction.cancelResend();
    transaction.finalText = text;
    if (transaction.method === 'INVITE' && !transaction.reliable) this.#repeat(transaction, T1_MS);
  }

  #repeat(transaction: ServerTransaction<Owner>, intervalMs: number): void {
    transaction.cancelResend = this.#clock.after(intervalMs, () => {
      if (transaction.finalText === null) return;
      this.#observer.count('retransmission');
      transaction.reply(transaction.finalText).catch(() => {});
      this.#repeat(transaction, Math.min(intervalMs * 2, T2_MS));
    });
  }

  #expire(key: string, transaction: ServerTransaction<Owner>, delayMs = TRANSACTION_TIMEOUT_MS): void {
    transaction.cancelExpiry();
    transaction.cancelExpiry = this.#clock.after(delayMs, () => this.#forget(key));
  }

  #forget(key: string): void {
    const transaction = this.#table.get(key);
    if (transaction === undefined) return;
    transaction.cancelResend();
    transaction.cancelExpiry();
    if (transaction.mergeKey !== null) this.#firstCopies.delete(transaction.mergeKey);
    this.#table.delete(key);
  }
}

/** Key of a server transaction (RFC 3261 section 17.2.3). An ACK belongs to the INVITE that it acknowledges. */
export function serverKey(branch: string, sentBy: string, method: string): string {
  return `${branch}|${sentBy}|${method === 'ACK' ? 'INVITE' : method}`;
}
