import { GatewayError } from '../../../base/errors.ts';
import { type Clock, isoAfter } from '../../../base/time.ts';
import { countRows, type Db } from '../../../store/database/rows.ts';
import {
  beginRequest,
  findRequest,
  finishRequest,
  forgetRequest,
  type RequestRef,
  type StoredRequest,
} from '../../../store/keys/idempotent-requests.ts';
import type { Store } from '../../../store/store.ts';
import { failureReply } from '../answer/error-reply.ts';
import type { JsonReply, Reply, ReplyHeaders } from '../answer/reply.ts';
import { type Idempotency, type KeyedRequest, keyFault } from './idempotency.ts';

/** How long a stored answer is replayed. */
export const KEY_VALID_MS = 86_400_000;
const REPLAYED: ReplyHeaders = { 'Idempotent-Replayed': 'true' };

/** A stored answer. `text` is the JSON body, or null without a body. */
interface StoredAnswer {
  readonly text: string | null;
  readonly headers: ReplyHeaders;
}

/**
 * Stores keyed requests in the database before they run, and their answers for 24 hours. Answers that mean that nothing
 * was done (4xx, 503) are not stored, so the request can be retried.
 */
export class IdempotentRequests implements Idempotency {
  readonly #store: Pick<Store, 'db' | 'secrets'>;
  readonly #clock: Clock;
  readonly #kept: StoredRequestCounts;
  readonly #onKeepFailed: (error: unknown) => void;
  /** Fingerprints of the requests in progress. */
  readonly #running = new Map<string, string>();

  constructor(store: Pick<Store, 'db' | 'secrets'>, clock: Clock, onKeepFailed: (error: unknown) => void) {
    this.#store = store;
    this.#clock = clock;
    this.#kept = new StoredRequestCounts(store.db, clock);
    this.#onKeepFailed = onKeepFailed;
  }

  /**
   * Throws `request_running`, `request_interrupted` or `too_many_keys`, and a ValidationError if the key was used for a
   * different request.
   */
  async once(request: KeyedRequest, action: () => Promise<Reply>): Promise<Reply> {
    const { ref, fingerprint } = request;
    const id = `${ref.credentialId} ${ref.key}`;
    const running = this.#running.get(id);
    if (running !== undefined) throw running === fingerprint ? new GatewayError('request_running') : reused();
    this.#running.set(id, fingerprint);
    try {
      return (await this.#replayed(request)) ?? (await this.#run(ref, action));
    } finally {
      this.#running.delete(id);
    }
  }

  /** Returns the stored answer. Null: the request has not been answered and is now recorded as started. */
  async #replayed({ ref, fingerprint, resumes }: KeyedRequest): Promise<Reply | null> {
    const { db, secrets } = this.#store;
    const nowIso = this.#clock.nowIso();
    const kept = await findRequest(db, secrets, ref);
    if (!kept || isoAfter(kept.createdAt, KEY_VALID_MS) <= nowIso) {
      if (!kept) await this.#kept.add(ref.accountId);
      await beginRequest(db, secrets, ref, { fingerprint, nowIso });
      return null;
    }
    if (kept.fingerprint !== fingerprint) throw reused();
    const answer = replyOf(kept);
    if (answer === null && !resumes) throw new GatewayError('request_interrupted');
    return answer;
  }

  /**
   * Runs the action and stores its answer. An unexpected error leaves the request without an answer, because its effect
   * is unknown.
   */
  async #run(ref: RequestRef, action: () => Promise<Reply>): Promise<Reply> {
    const answer = await action().catch(refusalOf);
    await this.#keep(ref, answer).catch(this.#onKeepFailed);
    return answer;
  }

  async #keep(ref: RequestRef, answer: Reply): Promise<void> {
    const { db, secrets } = this.#store;
    const kept = tellsOfEffect(answer.status) ? keptAnswer(answer) : null;
    if (kept === null) await forgetRequest(db, ref);
    else await finishRequest(db, secrets, ref, { status: answer.status, answer: JSON.stringify(kept) });
  }
}

/** Whether the request took effect, or may have. */
function tellsOfEffect(status: number): boolean {
  return status < 400 || (status >= 500 && status !== 503);
}

/** The answer for an expected error. Rethrows unexpected ones. */
function refusalOf(error: unknown): JsonReply {
  const refusal = failureReply(error);
  if (refusal.status === 500) throw error;
  return refusal;
}

/** The storable form of an answer; null if this kind of answer cannot be replayed. */
function keptAnswer(answer: Reply): StoredAnswer | null {
  const headers = answer.headers ?? {};
  if (answer.kind === 'empty') return { text: null, headers };
  if (answer.kind !== 'json') return null;
  return { text: answer.text ?? JSON.stringify(answer.body), headers };
}

function replyOf({ status, answer }: StoredRequest): Reply | null {
  if (status === null || answer === null) return null;
  const { text, headers }: StoredAnswer = JSON.parse(answer);
  const replayed = { ...headers, ...REPLAYED };
  if (text === null) return { kind: 'empty', status, headers: replayed };
  return { kind: 'json', status, body: null, text, headers: replayed };
}

function reused(): Error {
  return keyFault('idempotency_key_reused', 'This key was used for a different request');
}

/** Limit on stored keyed requests per account: more than one per second for a whole day. */
const MAX_STORED_REQUESTS = 100_000;
/** How often an account at its limit is recounted, as old requests are deleted in the meantime. */
const RECOUNT_MS = 10_000;

/** Limits the number of stored requests per account. Counted once in the database, then in memory. */
class StoredRequestCounts {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #counts = new Map<string, { kept: number; countedMs: number }>();

  constructor(db: Db, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /** Counts one more request. Throws `too_many_keys` at the limit. */
  async add(accountId: string): Promise<void> {
    const nowMs = this.#clock.monotonicMs();
    let count = this.#counts.get(accountId);
    const isFull = count !== undefined && count.kept >= MAX_STORED_REQUESTS;
    if (count === undefined || (isFull && nowMs - count.countedMs >= RECOUNT_MS)) {
      count = { kept: await countRows(this.#db, 'idempotentRequests', { accountId }), countedMs: nowMs };
      this.#counts.set(accountId, count);
    }
    if (count.kept >= MAX_STORED_REQUESTS)
      throw new GatewayError(
        'too_many_keys',
        `At most ${MAX_STORED_REQUESTS} requests with an Idempotency-Key per account are stored for 24 hours`,
      );
    count.kept += 1;
  }
}
