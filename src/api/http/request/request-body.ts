import { isUtf8 } from 'node:buffer';
import { JsonTooDeep, parseJson } from '../../../base/json.ts';
import { NextTurn } from '../../../base/next-turn.ts';
import type { Exchange } from '../answer/exchange.ts';
import type { BodyBudget } from './body-budget.ts';
import { ValidationError } from './validation.ts';

/** How much and how long a request body may be. */
export interface BodyLimits {
  readonly maxBytes: number;
  /** From the end of the headers to the last byte. */
  readonly deadlineMs: number;
  /** Longest pause between two pieces. The server library hangs up without a word after 10 s. */
  readonly silenceMs: number;
  /** Room for what has come of a body that is not complete; null: there is always room. */
  readonly budget: BodyBudget | null;
}

export type BodyOutcome =
  /** `tookMs`: since the headers were read. */
  | { readonly kind: 'complete'; readonly bytes: Buffer; readonly tookMs: number }
  /** `isRead` when the client has sent everything, so that its connection can go on. */
  | { readonly kind: 'too_large'; readonly isRead: boolean }
  | { readonly kind: 'too_slow' }
  | { readonly kind: 'no_room' };

const LATER = new NextTurn();

/** How many times the cap is read and thrown away, so that a client mid-upload hears 413 and not a broken pipe. */
const DISCARD_FACTOR = 4;

/**
 * Collects a request's body, then calls `done` once; never when the client goes away first. A body that arrived with
 * its headers is done before this returns.
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
  // A body mostly comes with its headers, in the same turn, so that a timer would be made for nothing.
  const cancelWait = LATER.run(() => {
    silence = setTimeout(() => finish({ kind: 'too_slow' }), limits.silenceMs);
  });
  exchange.watchAbort();

  exchange.response.onData((chunk, isLast) => {
    if (isDone) return;
    lengthBytes += chunk.byteLength;
    if (lengthBytes <= limits.maxBytes) {
      // The library takes its memory back after this callback.
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

/** Without a copy: it is read before the library takes its memory back. */
function viewOf(chunk: ArrayBuffer | Uint8Array): Buffer {
  return chunk instanceof ArrayBuffer
    ? Buffer.from(chunk)
    : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}

function joined(chunks: readonly Buffer[], lengthBytes: number): Buffer {
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, lengthBytes);
}

/** The value of a JSON body; undefined for an empty one. Throws a ValidationError when it cannot be read. */
export function jsonBody(bytes: Buffer): unknown {
  if (bytes.byteLength === 0) return undefined;
  try {
    if (isUtf8(bytes)) return parseJson(bytes.toString('utf8'));
  } catch (error) {
    if (error instanceof JsonTooDeep)
      throw new ValidationError([{ loc: ['body'], type: 'json_too_deep', msg: error.message }]);
    // Anything else is told below, like text that is not UTF-8.
  }
  throw notJson();
}

export function notJson(): ValidationError {
  return new ValidationError([{ loc: ['body'], type: 'json_invalid', msg: 'JSON decode error' }]);
}
