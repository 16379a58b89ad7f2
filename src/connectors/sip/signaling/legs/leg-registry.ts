import type { PlatformLeg } from '../../../contract/call-leg.ts';
import type { SipRoute } from '../sip-route.ts';

/** The live legs by route. A route learns when its last leg is released; shutdown waits for all legs. */
export class LegRegistry {
  readonly #byRoute = new Map<SipRoute, Set<PlatformLeg>>();

  add(route: SipRoute, leg: PlatformLeg): void {
    const legs = this.#byRoute.get(route) ?? new Set();
    this.#byRoute.set(route, legs.add(leg));
    void leg.released.then(() => {
      legs.delete(leg);
      if (legs.size > 0) return;
      this.#byRoute.delete(route);
      route.unused();
    });
  }

  hasLegs(route: SipRoute): boolean {
    return this.#byRoute.has(route);
  }

  all(): PlatformLeg[] {
    return [...this.#byRoute.values()].flatMap((legs) => [...legs]);
  }
}
