import type { Party } from './mixer.ts';

/** Somebody who hears a call that is not answered yet, and must not be heard there. */
export class ListeningParty implements Party {
  readonly #listener: Pick<Party, 'push'>;

  constructor(listener: Pick<Party, 'push'>) {
    this.#listener = listener;
  }

  pull(): boolean {
    return false;
  }

  push(frame: Int16Array, voiced: boolean, speaker: number): void {
    this.#listener.push(frame, voiced, speaker);
  }
}
