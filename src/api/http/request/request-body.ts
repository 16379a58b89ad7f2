import { isUtf8 } from 'node:buffer';
import { JsonTooDeep, parseJson } from '../../../base/json.ts';
import { jsonFault } from '../../../base/json-fault.ts';
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
  /** Memory for incomplete bodies; null: unlimited. */
  readonly budget: BodyBudget | null;
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
    limits.budget?.give(heldBytes);
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
    if (limits.budget && lengthBytes <= limits.maxBytes) {
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
 * Parses a JSON body; undefined for an empty one. Throws a ValidationError if it is not valid JSON in UTF-8 or is
 * nested too deeply. `note` is added to the position of a mistake.
 */
export function jsonBody(bytes: Buffer, note = ''): unknown {
  if (bytes.byteLength === 0) return undefined;
  if (!isUtf8(bytes)) throw notJson(': it is not UTF-8');
  const text = bytes.toString('utf8');
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonTooDeep)
      throw new ValidationError([{ loc: ['body'], type: 'json_too_deep', msg: error.message }]);
    throw notJson(` at ${jsonFault(text)}${note}`);
  }
}

export function notJson(why: string): ValidationError {
  return new ValidationError([{ loc: ['body'], type: 'json_invalid', msg: `Input is not valid JSON${why}` }]);
}

/** Limit on partially received bodies of public routes. Bodies that arrive whole, as small ones do, do not count. */
const STRANGERS_BYTES = 32 * 1_048_576;

/** Memory for bodies still being received. Limits what slow senders on many connections can occupy. */
export class BodyBudget {
  #leftBytes = STRANGERS_BYTES;

  /** Reserves memory. Returns false if there is not enough left. */
  take(bytes: number): boolean {
    if (bytes > this.#leftBytes) return false;
    this.#leftBytes -= bytes;
    return true;
  }

  give(bytes: number): void {
    this.#leftBytes += bytes;
  }
}
