import type { Clock } from '../../base/time.ts';

/** Limit of credentials kept. Beyond it, the one that answered first is dropped. */
const MAX_KEPT = 10_000;

interface Reply {
  readonly probeId: string;
  /** ISO 8601. */
  readonly repliedAt: string;
}

/** The last probe that each credential answered, and when. Kept in memory, as probes are. */
export class AgentReplies {
  readonly #clock: Clock;
  readonly #byCredential = new Map<string, Reply>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Records an answer to a probe. Only the first one counts. */
  replied(credentialId: string, probeId: string): void {
    if (this.#byCredential.get(credentialId)?.probeId === probeId) return;
    this.#byCredential.delete(credentialId);
    this.#byCredential.set(credentialId, { probeId, repliedAt: this.#clock.nowIso() });
    if (this.#byCredential.size > MAX_KEPT)
      this.#byCredential.delete(this.#byCredential.keys().next().value!);
  }

  /** Returns when the credential answered the probe; null: it has not. */
  repliedAt(credentialId: string, probeId: string): string | null {
    const reply = this.#byCredential.get(credentialId);
    return reply?.probeId === probeId ? reply.repliedAt : null;
  }
}
