import { isUtf8 } from 'node:buffer';
import { JsonRefused, parseJson } from '../../../base/json.ts';
import { jsonFault } from '../../../base/json-fault.ts';
import { LimitedMap } from '../../../base/limited-map.ts';
import { SharedImmediate } from '../../../base/shared-immediate.ts';
import type { Exchange } from '../answer/exchange.ts';
import { ValidationError } from './validation.ts';

/** Size and time limits of a request body. */
export interface BodyLimits {
  readonly maxBytes: number;
  /** Time limit from the end of the headers to the last byte. */
  readonly deadlineMs: number;
  /**
   * Longest pause between two chunks. The server library itself closes a silent connection after 10 s, without an
   * answer.
   */
  readonly silenceMs: number;
  /** Memory for bodies that are being received. */
  readonly budget: BodyBudget;
}

export type BodyOutcome =
  /** `tookMs`: time since the headers were read. */
  | { readonly kind: 'complete'; readonly bytes: Buffer; readonly tookMs: number }
  /** `isRead`: the client has sent everything, so its connection can stay open. */
  | { readonly kind: 'too_large'; readonly isRead: boolean }
  | { readonly kind: 'too_slow' }
  | { readonly kind: 'no_room' };

const LATER = new SharedImmediate();

/**
 * Up to this many times the limit is read and discarded, so that a client still uploading gets 413 and not a broken
 * pipe.
 */
const DISCARD_FACTOR = 4;

/**
 * Collects a request's body, then calls `done` once, or never if the client disconnects first. If the body arrived with
 * its headers, `done` is called before this function returns.
 */
export function readBody(exchange: Exchange, limits: BodyLimits, done: (outcome: BodyOutcome) => void): void {
  const startMs = performance.now();
  const chunks: Buffer[] = [];
  let lengthBytes = 0;
  let heldBytes = 0;
  let isDone = false;

  let silence: NodeJS.Timeout | undefined;

  const finish = (outcome: BodyOutcome) => {
    cancelWait();
    clearTimeout(silence);
    limits.budget.give(heldBytes);
    heldBytes = 0;
    if (isDone || !exchange.isOpen) return;
    isDone = true;
    done(outcome);
  };
  // Most bodies arrive with their headers in the same turn, so the timer is created only in the next turn.
  const cancelWait = LATER.run(() => {
    silence = setTimeout(() => finish({ kind: 'too_slow' }), limits.silenceMs);
  });
  exchange.watchAbort();

  exchange.onData((chunk, isLast) => {
    if (isDone) return;
    lengthBytes += chunk.byteLength;
    if (lengthBytes <= limits.maxBytes) {
      // The library reuses its memory after this callback.
      chunks.push(isLast && chunks.length === 0 ? viewOf(chunk) : Buffer.from(new Uint8Array(chunk)));
      if (isLast)
        finish({
          kind: 'complete',
          bytes: joined(chunks, lengthBytes),
          tookMs: performance.now() - startMs,
        });
    } else if (isLast || lengthBytes > limits.maxBytes * DISCARD_FACTOR) {
      finish({ kind: 'too_large', isRead: isLast });
    }
    if (isLast || isDone) return;
    if (lengthBytes <= limits.maxBytes) {
      if (!limits.budget.take(chunk.byteLength)) return finish({ kind: 'no_room' });
      heldBytes += chunk.byteLength;
    }
    if (performance.now() - startMs > limits.deadlineMs) finish({ kind: 'too_slow' });
    else silence?.refresh();
  });
}

/** A view without a copy: it is read before the library reuses its memory. */
function viewOf(chunk: ArrayBuffer | Uint8Array): Buffer {
  return chunk instanceof ArrayBuffer
    ? Buffer.from(chunk)
    : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}

function joined(chunks: readonly Buffer[], lengthBytes: number): Buffer {
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, lengthBytes);
}

/**
 * Parses a JSON body; undefined for an empty one. Throws a ValidationError if it is not valid JSON in UTF-8, is nested too
 * deeply or has too many values. `note` is added to the position of a mistake.
 */
export function jsonBody(bytes: Buffer, note = ''): unknown {
  if (bytes.byteLength === 0) return undefined;
  if (!isUtf8(bytes)) throw notJson(': it is not UTF-8');
  const text = bytes.toString('utf8');
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonRefused)
      throw new ValidationError([{ loc: ['body'], type: error.code, msg: error.message }]);
    throw notJson(` at ${jsonFault(text)}${note}`);
  }
}

export function notJson(why: string): ValidationError {
  return new ValidationError([{ loc: ['body'], type: 'json_invalid', msg: `Input is not valid JSON${why}` }]);
}

/** Memory for bodies that are being received. Those that arrive whole, as small ones do, do not count. */
export class BodyBudget {
  #leftBytes: number;
  /** Of which this is a part. */
  readonly #whole: BodyBudget | null;

  constructor(bytes: number, whole: BodyBudget | null = null) {
    this.#leftBytes = bytes;
    this.#whole = whole;
  }

  /** Reserves memory. Returns false if there is not enough left. */
  take(bytes: number): boolean {
    if (bytes > this.#leftBytes || this.#whole?.take(bytes) === false) return false;
    this.#leftBytes -= bytes;
    return true;
  }

  give(bytes: number): void {
    this.#leftBytes += bytes;
    this.#whole?.give(bytes);
  }
}

const STRANGERS_BYTES = 32 * 1_048_576;
const ACCOUNTS_BYTES = 256 * 1_048_576;
/** Room for two of the longest bodies, if those are longer. */
const ACCOUNT_BYTES = 32 * 1_048_576;
/** The 5,000 accounts that sent bodies last are always remembered. */
const MAX_ACCOUNTS = 10_000;

/** Limits what slow senders on many connections can occupy: strangers together, and each account. */
export class BodyBudgets {
  readonly #strangers = new BodyBudget(STRANGERS_BYTES);
  readonly #accounts: BodyBudget;
  readonly #each = new LimitedMap<BodyBudget>(MAX_ACCOUNTS);
  readonly #eachBytes: number;

  /** `longestBytes`: of a body. */
  constructor(longestBytes: number) {
    this.#eachBytes = Math.max(ACCOUNT_BYTES, 2 * longestBytes);
    this.#accounts = new BodyBudget(Math.max(ACCOUNTS_BYTES, 4 * longestBytes));
  }

  /** Null: of strangers. */
  of(accountId: string | null): BodyBudget {
    if (accountId === null) return this.#strangers;
    const budget = this.#each.get(accountId) ?? new BodyBudget(this.#eachBytes, this.#accounts);
    this.#each.set(accountId, budget);
    return budget;
  }
}
