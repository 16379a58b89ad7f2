import type { ModelReply } from '../../models/model-client.ts';
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
  #scanner = this.#newScanner();
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

  /** The model is asked, perhaps again: what it wrote of a sentence before does not count. */
  begin(): void {
    if (this.#hasBegun || this.#text === '') return;
    this.#text = '';
    this.#scanner = this.#newScanner();
  }

  push(part: string): void {
    this.#text += part;
    this.#scanner.push(part);
  }

  /**
   * The model has written the reply. Its last sentence is spoken now, before the reply is stored, unless the whole text
   * turns out to differ from its parts.
   */
  end({ text, finish }: Pick<ModelReply, 'text' | 'finish'>): void {
    if (text === this.#text && !this.#signal.aborted) this.#scanner.end(finish);
  }

  /** Resolves when all sentences so far are with the voice. Rejects when one could not be noted. */
  async spoken(): Promise<void> {
    await this.#last;
  }

  #newScanner(): ReplyScanner {
    return new ReplyScanner('say', (placed) => this.#found(placed));
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
    await endAction(store.db, action, await endOf(this.#context, placed), clock.nowIso());
  }
}
