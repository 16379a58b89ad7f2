import { LimitedMap } from '../../base/limited-map.ts';
import type { Clock } from '../../base/time.ts';
import { TokenBucket } from '../../base/token-bucket.ts';

/** How often an agent's model may write to others than the turn's conversation, or place calls. */
const SIZE = { most: 10, perSecond: 10 / 60 };
/** The 5,000 agents that reached out last are always kept. */
const MAX_AGENTS = 10_000;

/** Limits how often models reach out on their own: whoever writes to a model may talk it into it. */
export class ReachLimits {
  readonly #clock: Clock;
  readonly #byAgent = new LimitedMap<TokenBucket>(MAX_AGENTS);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns false when the agent has reached its limit. */
  take(agentId: string): boolean {
    const bucket = this.#byAgent.get(agentId) ?? new TokenBucket(this.#clock, SIZE);
    this.#byAgent.set(agentId, bucket);
    return bucket.take(1);
  }
}
