import { SLOTS } from '../../base/frame.ts';
import type { AgentLink } from '../../threads/agent-link.ts';

/** The agents of this thread by the slot of their call, so that a tick wakes only those that it is about. */
export class WaitingAgents {
  readonly #bySlot: readonly Set<AgentLink>[] = Array.from({ length: SLOTS }, () => new Set());
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Returns a function that takes it out of the slot. */
  add(agent: AgentLink, slot: number): () => void {
    const agents = this.#bySlot[slot];
    agents?.add(agent);
    return () => agents?.delete(agent);
  }

  /** Moves the audio of all agents in these slots, a bit each. What fails for one does not keep the others waiting. */
  ticked(slots: number): void {
    for (let slot = 0; slot < SLOTS; slot++) if ((slots & (1 << slot)) !== 0) this.#ring(slot);
  }

  #ring(slot: number): void {
    for (const agent of this.#bySlot[slot] ?? []) {
      try {
        agent.doorbell();
      } catch (error) {
        this.#onError(error);
      }
    }
  }
}
