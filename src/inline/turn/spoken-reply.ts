import { endAction, insertClaimed } from '../../store/inline/delivery-actions.ts';
import type { ActionContext } from '../actions/action-context.ts';
import { endOf } from '../actions/carry-out.ts';
import type { PlacedAction } from '../reply/action.ts';
import { ReplyScanner } from '../reply/reply-scanner.ts';
import { newAction } from './stored-reply.ts';

/**
 * Speaks the sentences of a reply while the model still writes it. Each is noted before it is spoken, so that it is
 * never spoken again. All other actions wait until the reply is complete.
 */
export class SpokenReply {
  readonly #context: ActionContext;
  readonly #signal: AbortSignal;
  readonly #onFirst: () => void;
  readonly #scanner = new ReplyScanner('say', (placed) => this.#found(placed));
  #text = '';
  #hasBegun = false;
  /** Becomes the last sentence that is noted and spoken. */
  #last: Promise<void> = Promise.resolve();

  /** `onFirst` is called when the first sentence is complete. */
  constructor(context: ActionContext, signal: AbortSignal, onFirst: () => void) {
    this.#context = context;
    this.#signal = signal;
    this.#onFirst = onFirst;
  }

  /** The reply so far. */
  get text(): string {
    return this.#text;
  }

  /** Whether a sentence is out already. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  push(part: string): void {
    this.#text += part;
    this.#scanner.push(part);
  }

  /** Resolves when all sentences so far are with the voice. Rejects when one could not be noted. */
  async spoken(): Promise<void> {
    await this.#last;
  }

  #found(placed: PlacedAction): void {
    if (placed.action.kind !== 'say' || this.#signal.aborted) return;
    if (!this.#hasBegun) this.#onFirst();
    this.#hasBegun = true;
    this.#last = this.#last.then(() => this.#speak(placed));
    // Reported by `spoken`.
    this.#last.catch(() => {});
  }

  async #speak(placed: PlacedAction): Promise<void> {
    if (this.#signal.aborted) return;
    const { domain, turnId, scope } = this.#context;
    const { store, clock } = domain;
    const action = newAction(turnId, scope.accountId, placed);
    await insertClaimed(store.db, action, clock.nowIso());
    const end = await endOf(this.#context, placed);
    await endAction(store.db, action, end, clock.nowIso());
  }
}
