/** What the load generator's parent asks of its two child processes, and what they answer. */
export type LoadRequest =
  /** Agents only: join these calls. Answered by `ready`. */
  | { readonly type: 'join'; readonly streamUrls: readonly string[]; readonly apiKey: string }
  /** Counting starts now. */
  | { readonly type: 'begin' }
  /** Counting ends; answered by `phones` or `agents`. */
  | { readonly type: 'end' };

export type LoadAnswer =
  | { readonly type: 'ready' }
  | { readonly type: 'phones'; readonly stats: PhoneStats }
  | { readonly type: 'agents'; readonly stats: AgentStats };

export interface PhoneStats {
  readonly calls: number;
  readonly packetsSent: number;
  readonly packetsReceived: number;
  /** Holes in the sequence numbers. */
  readonly packetsLost: number;
  /** Frames that do not continue the agent's signal. */
  readonly breaks: number;
  /** The worst of |packets − elapsed / 20 ms| over all calls. */
  readonly worstDeviationFrames: number;
  readonly arrival: ArrivalStats;
  /** How late the generator itself was with its sending. */
  readonly sending: ArrivalStats;
}

export interface AgentStats {
  readonly agents: number;
  readonly framesSent: number;
  readonly framesReceived: number;
  readonly breaks: number;
  readonly worstDeviationFrames: number;
  /** `call_error` events, by their code. */
  readonly errors: Readonly<Record<string, number>>;
  readonly disconnected: number;
  readonly arrival: ArrivalStats;
  /** How late the generator itself was with its sending. */
  readonly sending: ArrivalStats;
}

/** How late frames came, measured against each call's own earliest frame and an exact 20 ms rhythm. */
export interface ArrivalStats {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly maxMs: number;
}
