/** An attack's actions, observations and failed demands. */
export interface Finding {
  readonly did: readonly string[];
  readonly saw: readonly string[];
  readonly faults: readonly string[];
}

/** The log of a running attack. */
export class Notes implements Finding {
  readonly did: string[] = [];
  readonly saw: string[] = [];
  readonly faults: string[] = [];
  readonly #beganMs = performance.now();

  /** Records an action with its time. */
  act(text: string): void {
    this.did.push(`${((performance.now() - this.#beganMs) / 1_000).toFixed(1)} s: ${text}`);
  }

  /** Records a figure or an answer without judging it. */
  see(text: string): void {
    this.saw.push(text);
  }

  /** Records an observation, also as a fault unless `isSo`. */
  demand(isSo: boolean, what: string, seen: string | number): void {
    this.saw.push(`${what}: ${seen}`);
    if (!isSo) this.faults.push(`${what}: ${seen}`);
  }
}
