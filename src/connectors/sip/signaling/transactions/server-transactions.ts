import type { CancelTimer, Clock } from '../../../../base/time.ts';
import type { SipObserver } from '../sip-observer.ts';
import { T1_MS, T2_MS, TRANSACTION_TIMEOUT_MS } from './transaction-timers.ts';

const MAX_TRANSACTIONS = 20_000;
/** An INVITE stays for as long as it rings; nothing rings for longer than this. */
const RINGING_MS = 30 * 60_000;

/** Sends a response to where its request came from. */
export type Reply = (text: string) => Promise<void>;

interface ServerTransaction<Owner> {
  owner: Owner | null;
  readonly reply: Reply;
  readonly reliable: boolean;
  /** What the request has in common with copies of it that came another way; null when it cannot have any. */
  readonly mergeKey: string | null;
  finalText: string | null;
  cancelResend: CancelTimer;
  cancelExpiry: CancelTimer;
}

interface ReceivedRequest {
  readonly method: string;
  readonly reply: Reply;
  readonly reliable: boolean;
  readonly mergeKey: string | null;
}

/**
 * Requests that came in: the way back for their responses (RFC 3581), timer G, which sip.js lacks, and a memory
 * that answers repeated requests with the same words (timers I and J, which sip.js sets to zero).
 * RFC 3261 section 17.2.
 */
export class ServerTransactions<Owner> {
  readonly #clock: Clock;
  readonly #observer: SipObserver;
  readonly #table = new Map<string, ServerTransaction<Owner>>();
  /** The transaction that each request came in first, for as long as that lasts. */
  readonly #firstCopies = new Map<string, string>();

  constructor(clock: Clock, observer: SipObserver) {
    this.#clock = clock;
    this.#observer = observer;
  }

  get size(): number {
    return this.#table.size;
  }

  /**
   * Notes a request. `repeated`: it was answered before and has just been answered again the same way. `merged`:
   * it has come by two ways (RFC 3261 section 8.2.2.2).
   */
  received(
    key: string,
    { method, reply, reliable, mergeKey }: ReceivedRequest,
  ): 'new' | 'pending' | 'repeated' | 'merged' {
    const known = this.#table.get(key);
    if (known === undefined) {
      const isMerged = mergeKey !== null && this.#firstCopies.has(mergeKey);
      this.#insert(key, { method, reply, reliable, mergeKey: isMerged ? null : mergeKey });
      return isMerged ? 'merged' : 'new';
    }
    if (known.finalText === null) return 'pending';
    this.#observer.count('replayed_response');
    known.reply(known.finalText).catch(() => {});
    return 'repeated';
  }

  /** Who handles the transaction; null when it is unknown or nobody's. */
  ownerOf(key: string): Owner | null {
    return this.#table.get(key)?.owner ?? null;
  }

  own(key: string, owner: Owner): void {
    const transaction = this.#table.get(key);
    if (transaction !== undefined) transaction.owner = owner;
  }

  /** Sends a response; final ones are remembered, and repeated when an INVITE was refused over UDP. */
  respond(key: string, method: string, status: number, text: string): Promise<void> {
    const transaction = this.#table.get(key);
    if (transaction === undefined) return Promise.reject(new Error('request is forgotten'));
    if (status >= 200) this.#expire(key, transaction);
    // The dialog repeats the 2xx of an INVITE by itself, until the ACK (RFC 3261 section 13.3.1.4).
    if (status >= 300 || (status >= 200 && method !== 'INVITE')) this.#remember(transaction, method, text);
    return transaction.reply(text);
  }

  /** The ACK for a refused INVITE stops timer G. */
  acknowledged(inviteKey: string): void {
    this.#table.get(inviteKey)?.cancelResend();
  }

  clear(): void {
    for (const key of [...this.#table.keys()]) this.#forget(key);
  }

  #insert(key: string, { method, reply, reliable, mergeKey }: ReceivedRequest): void {
    if (this.#table.size >= MAX_TRANSACTIONS) {
      const oldest = this.#table.keys().next().value;
      if (oldest !== undefined) this.#forget(oldest);
      this.#observer.count('table_overflow');
    }
    const transaction: ServerTransaction<Owner> = {
      owner: null,
      reply,
      reliable,
      mergeKey,
      finalText: null,
      cancelResend: () => {},
      cancelExpiry: () => {},
    };
    this.#table.set(key, transaction);
    if (mergeKey !== null) this.#firstCopies.set(mergeKey, key);
    this.#expire(key, transaction, method === 'INVITE' ? RINGING_MS : TRANSACTION_TIMEOUT_MS);
  }

  #remember(transaction: ServerTransaction<Owner>, method: string, text: string): void {
    transaction.cancelResend();
    transaction.finalText = text;
    if (method === 'INVITE' && !transaction.reliable) this.#repeat(transaction, T1_MS);
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

/** Identifies a server transaction (RFC 3261 section 17.2.3); ACK belongs to the INVITE it acknowledges. */
export function serverKey(branch: string, sentBy: string, method: string): string {
  return `${branch}|${sentBy}|${method === 'ACK' ? 'INVITE' : method}`;
}
