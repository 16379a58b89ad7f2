import type { PlatformLeg } from '../../../contract/call-leg.ts';
import type { Trunk } from '../trunk/trunk.ts';

/** The live legs by trunk. A trunk is removed after its last leg is released; shutdown waits for all legs. */
export class LegRegistry {
  readonly #byTrunk = new Map<Trunk, Set<PlatformLeg>>();
  readonly #onLastReleased: (trunk: Trunk) => void;

  constructor(onLastReleased: (trunk: Trunk) => void) {
    this.#onLastReleased = onLastReleased;
  }

  add(trunk: Trunk, leg: PlatformLeg): void {
    const legs = this.#byTrunk.get(trunk) ?? new Set();
    this.#byTrunk.set(trunk, legs.add(leg));
    void leg.released.then(() => {
      legs.delete(leg);
      if (legs.size > 0) return;
      this.#byTrunk.delete(trunk);
      this.#onLastReleased(trunk);
    });
  }

  hasLegs(trunk: Trunk): boolean {
    return this.#byTrunk.has(trunk);
  }

  all(): PlatformLeg[] {
    return [...this.#byTrunk.values()].flatMap((legs) => [...legs]);
  }
}
