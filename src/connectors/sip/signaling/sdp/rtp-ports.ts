import { randomInt } from 'node:crypto';
import { assert } from '../../../../base/assert.ts';

/** Allocates even UDP ports for RTP, each with the odd port above it for RTCP (RFC 3550 section 11). */
export class RtpPorts {
  readonly #first: number;
  readonly #pairs: number;
  readonly #taken = new Set<number>();
  #next: number;

  /** The range is inclusive and must contain at least one even port with its odd neighbour. */
  constructor(minPort: number, maxPort: number) {
    this.#first = minPort + (minPort % 2);
    this.#pairs = Math.floor((maxPort - this.#first + 1) / 2);
    assert(this.#pairs > 0, 'the RTP port range contains no pair of ports');
    // A random start keeps packets of calls before a restart away from calls after it.
    this.#next = randomInt(this.#pairs);
  }

  get takenCount(): number {
    return this.#taken.size;
  }

  /** Returns the next free even port; null when all are taken. The most recently released port is reused last. */
  take(): number | null {
    if (this.#taken.size >= this.#pairs) return null;
    for (;;) {
      const port = this.#first + 2 * this.#next;
      this.#next = (this.#next + 1) % this.#pairs;
      if (this.#taken.has(port)) continue;
      this.#taken.add(port);
      return port;
    }
  }

  release(port: number): void {
    this.#taken.delete(port);
  }
}
