import type { Clock } from '../../base/time.ts';

/** Credentials that are kept; the one that answered first is forgotten first. */
const MAX_KEPT = 10_000;

interface Reply {
  readonly probeId: string;
  /** ISO 8601. */
  readonly repliedAt: string;
}

/** Which probe each credential has answered last, and when; in memory, as probes are. */
export class AgentReplies {
  readonly #clock: Clock;
  readonly #byCredential = new Map<string, Reply>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Only the first answer to a probe counts. */
  replied(credentialId: string, probeId: string): void {
    if (this.#byCredential.get(credentialId)?.probeId === probeId) return;
    this.#byCredential.delete(credentialId);
    this.#byCredential.set(credentialId, { probeId, repliedAt: this.#clock.nowIso() });
    if (this.#byCredential.size > MAX_KEPT)
      this.#byCredential.delete(this.#byCredential.keys().next().value!);
  }

  /** Null: it has not answered this probe. */
  repliedAt(credentialId: string, probeId: string): string | null {
    const reply = this.#byCredential.get(credentialId);
    return reply?.probeId === probeId ? reply.repliedAt : null;
  }
}
