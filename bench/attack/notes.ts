/** What an attack did, what it saw, and what did not hold. */
export interface Finding {
  readonly did: readonly string[];
  readonly saw: readonly string[];
  readonly faults: readonly string[];
}

/** Written by an attack while it runs. */
export class Notes implements Finding {
  readonly did: string[] = [];
  readonly saw: string[] = [];
  readonly faults: string[] = [];
  readonly #beganMs = performance.now();

  /** What the attacker does, and when. */
  act(text: string): void {
    this.did.push(`${((performance.now() - this.#beganMs) / 1_000).toFixed(1)} s: ${text}`);
  }

  /** A figure or an answer worth keeping, whatever it is. */
  see(text: string): void {
    this.saw.push(text);
  }

  /** What the gateway must do: seen, and a fault when it is not so. */
  demand(isSo: boolean, what: string, seen: string | number): void {
    this.saw.push(`${what}: ${seen}`);
    if (!isSo) this.faults.push(`${what}: ${seen}`);
  }
}
