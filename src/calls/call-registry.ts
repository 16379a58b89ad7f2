import type { CallActor } from './call-actor.ts';
import type { CallEvent, CallIdentity } from './call-event.ts';
import { type CallStateName, isFinal, isFirst } from './call-state.ts';

const LIVE_STATES = ['connecting', 'ringing', 'active'] as const;

/** A change of a call: it began, a line was transcribed, or it ended. */
type CallNews = 'began' | 'transcribed' | 'over';

/** Receives changes of an account's calls. Must not throw. */
export type CallListener = (call: CallIdentity, news: CallNews) => void;

/** The live calls, by id and by account. */
export class CallRegistry {
  readonly followers = new CallFollowers();
  readonly #byId = new Map<string, CallActor>();
  readonly #byAccount = new Map<string, Set<CallActor>>();
  /** Accounts that are being deleted. */
  readonly #leaving = new Set<string>();
  #isClosed = false;

  /** Whether the registry refuses all new calls. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  close(): void {
    this.#isClosed = true;
  }

  /** Refuses new calls of the account until `readmit`. */
  turnAway(accountId: string): void {
    this.#leaving.add(accountId);
  }

  readmit(accountId: string): void {
    this.#leaving.delete(accountId);
  }

  accepts(accountId: string): boolean {
    return !this.#isClosed && !this.#leaving.has(accountId);
  }

  /** Keeps a call from its first event to its final state. */
  happened(actor: CallActor, event: CallEvent): void {
    if (event.type !== 'call_state') return;
    if (isFirst(event.state)) this.add(actor);
    else if (isFinal(event.state)) this.remove(actor);
  }

  add(actor: CallActor): void {
    const { callId, accountId } = actor.identity;
    this.#byId.set(callId, actor);
    const siblings = this.#byAccount.get(accountId);
    if (siblings) siblings.add(actor);
    else this.#byAccount.set(accountId, new Set([actor]));
  }

  remove(actor: CallActor): void {
    const { callId, accountId } = actor.identity;
    this.#byId.delete(callId);
    const siblings = this.#byAccount.get(accountId);
    siblings?.delete(actor);
    if (siblings?.size === 0) this.#byAccount.delete(accountId);
  }

  find(callId: string): CallActor | undefined {
    return this.#byId.get(callId);
  }

  countOf(accountId: string): number {
    return this.#byAccount.get(accountId)?.size ?? 0;
  }

  /** Returns the account's live calls, oldest first. */
  listOf(accountId: string): CallActor[] {
    return [...(this.#byAccount.get(accountId) ?? [])];
  }

  get count(): number {
    return this.#byId.size;
  }

  countByState(): Map<CallStateName, number> {
    const counts = new Map<CallStateName, number>(LIVE_STATES.map((state) => [state, 0]));
    for (const { state } of this.#byId.values()) counts.set(state.name, (counts.get(state.name) ?? 0) + 1);
    return counts;
  }

  all(): CallActor[] {
    return [...this.#byId.values()];
  }
}

/** Listeners to all calls of an account that take part in none. */
class CallFollowers {
  readonly #byAccount = new Map<string, Set<CallListener>>();

  /** Calls `listener` until the returned function is called. */
  follow(accountId: string, listener: CallListener): () => void {
    const listeners = this.#byAccount.get(accountId) ?? new Set();
    // A new function each time, so that the same listener can be added twice.
    const entry: CallListener = (call, news) => listener(call, news);
    this.#byAccount.set(accountId, listeners.add(entry));
    return () => {
      listeners.delete(entry);
      if (listeners.size === 0 && this.#byAccount.get(accountId) === listeners)
        this.#byAccount.delete(accountId);
    };
  }

  happened({ identity }: { readonly identity: CallIdentity }, event: CallEvent): void {
    const news = newsOf(event);
    if (news === null) return;
    for (const listener of [...(this.#byAccount.get(identity.accountId) ?? [])]) listener(identity, news);
  }
}

function newsOf(event: CallEvent): CallNews | null {
  if (event.type === 'call_transcript') return 'transcribed';
  if (event.type !== 'call_state') return null;
  if (isFirst(event.state)) return 'began';
  return isFinal(event.state) ? 'over' : null;
}
