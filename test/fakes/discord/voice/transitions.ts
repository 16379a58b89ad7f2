import type { RosterMember } from './group-roster.ts';
import { OP } from './opcodes.ts';
import { Transition } from './transition.ts';

/** The transitions of a channel, one at a time. */
export class Transitions {
  #current: Transition | null = null;
  #lastId = 0;

  get isUnderWay(): boolean {
    return this.#current !== null;
  }

  newId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  /** Waits for `members`, tells them to execute the transition, and calls `executed`. */
  begin(id: number, members: readonly RosterMember[], executed: () => void): void {
    const clients = members.map(({ client }) => client);
    const userIds = clients.map(({ userId }) => userId);
    this.#current = new Transition(id, userIds, () => {
      this.#current = null;
      for (const client of clients) client.tell(OP.executeTransition, { transition_id: id });
      executed();
    });
  }

  /** False when there never was such a transition. */
  ready(userId: string, id: number): boolean {
    if (this.#current?.id === id) this.#current.ready(userId);
    return id <= this.#lastId;
  }

  /** Nobody waits for this user any more. */
  release(userId: string): void {
    this.#current?.ready(userId);
  }

  cancel(): void {
    this.#current?.cancel();
  }
}
