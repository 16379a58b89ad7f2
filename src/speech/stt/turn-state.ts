import type { RecognizerObserver } from './recognizer.ts';

/** Whether the speaker's turn is open, by what the vendor tells. Each change is reported once. */
export class TurnState {
  readonly #observer: Pick<RecognizerObserver, 'turn'>;
  #isOpen = false;

  constructor(observer: Pick<RecognizerObserver, 'turn'>) {
    this.#observer = observer;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Does nothing when it is so already. */
  change(state: 'started' | 'ended'): void {
    const isOpen = state === 'started';
    if (isOpen === this.#isOpen) return;
    this.#isOpen = isOpen;
    this.#observer.turn(state);
  }
}
