import { assert } from '../../../base/assert.ts';
import type { Termination } from '../../../base/termination.ts';
import type { LegObserver, PlatformLeg, SendsChat, ShowsCallTyping } from '../../contract/call-leg.ts';

/** A call in a room to which the agent is invited. It enters once it accepts; nobody is told when it does not. */
export class RingingLeg implements PlatformLeg {
  readonly chat: SendsChat;
  readonly typing: ShowsCallTyping;
  readonly released: Promise<void>;
  readonly #observer: LegObserver;
  readonly #enter: () => PlatformLeg;
  readonly #released = Promise.withResolvers<void>();
  /** Null while it rings. */
  #entered: PlatformLeg | null = null;
  #isOver = false;

  /** `enter`: enters the call, whose leg reports to the same observer. */
  constructor(observer: LegObserver, enter: () => PlatformLeg) {
    this.#observer = observer;
    this.#enter = enter;
    this.released = this.#released.promise;
    // A call that rings has no chat yet.
    this.chat = {
      checkText: (text, isCaption) => this.#chat.checkText(text, isCaption),
      send: async (message, signal) => await this.#chat.send(message, signal),
    };
    this.typing = { showTyping: async (signal) => await this.#entered?.typing?.showTyping(signal) };
  }

  accept(): void {
    if (this.#isOver || this.#entered !== null) return;
    this.#entered = this.#enter();
    void this.#entered.released.then(() => this.#released.resolve());
  }

  refuse(): void {
    this.#end('local', { result: 'refused', reason: 'refused' });
  }

  hangUp(): void {
    this.#end('local', { result: 'missed', reason: 'not answered' });
  }

  /** The call is over before the agent has decided. */
  withdrawn(): void {
    if (this.#entered === null) this.#end('remote', { result: 'missed', reason: 'the call ended' });
  }

  get #chat(): SendsChat {
    const chat = this.#entered?.chat;
    assert(chat !== undefined, 'a call has its chat while it is active');
    return chat;
  }

  #end(by: 'local' | 'remote', termination: Termination): void {
    if (this.#entered !== null) return this.#entered.hangUp();
    if (this.#isOver) return;
    this.#isOver = true;
    this.#observer.ended(by, termination);
    this.#released.resolve();
  }
}
