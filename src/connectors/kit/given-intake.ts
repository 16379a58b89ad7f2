import { assert } from '../../base/assert.ts';
import type { MessageIntake } from '../contract/messenger.ts';

/** Where people's messages go: a messenger is given it once, before the first one arrives. */
export class GivenIntake {
  #intake: MessageIntake | null = null;

  readonly give = (intake: MessageIntake): void => {
    this.#intake = intake;
  };

  readonly get = (): MessageIntake => {
    assert(this.#intake !== null, 'onMessages comes before all else');
    return this.#intake;
  };
}
