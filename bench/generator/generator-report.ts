/** What the generator says, a line each. */
export type GeneratorEvent =
  | { readonly event: 'phones'; readonly ports: readonly number[] }
  | { readonly event: 'song'; readonly frames: number }
  | { readonly event: 'agents'; readonly talking: number; readonly gone: number }
  | { readonly event: 'began' }
  | { readonly event: 'failed'; readonly why: string }
  | ({ readonly event: 'left' } & LeftCall)
  | ({ readonly event: 'lateness' } & GeneratorLateness)
  | ({ readonly event: 'report' } & GeneratorReport);

/** What both ends of one call heard of it, while the generator counts. */
export interface LeftCall {
  readonly phone: number;
  /** Holes in the sequence numbers at the telephone. */
  readonly lost: number;
  readonly telephone: Heard;
  readonly agent: Heard;
  /** `call_error` messages to the agent, and the audio dropped on its way to it according to them. */
  readonly agentErrors: number;
  readonly agentLostMs: number;
  /** Frames of the agent that a full socket did not take in time. */
  readonly agentBlocked: number;
}

/** How late the generator itself was. */
export interface GeneratorLateness {
  /** Time for which nothing was sent, because it was more than half a second behind. */
  readonly leftOutMs: number;
  readonly sending: Lateness;
}

export interface Heard {
  /** Frames of 20 ms that came, and how many were due from the first to the last of them. */
  readonly received: number;
  readonly due: number;
  readonly breaks: number;
  /** Since the last frame, or since the party joined when none came. */
  readonly silentMs: number;
}

/** What was counted between `begin` and `end`. */
export interface GeneratorReport {
  readonly seconds: number;
  /** Time for which nothing was sent, because the generator was more than half a second behind. */
  readonly leftOutMs: number;
  readonly phones: PartyCounts & {
    /** Holes in the sequence numbers. */
    readonly lost: number;
  };
  readonly agents: PartyCounts & {
    /** Connections that were closed or refused. */
    readonly gone: number;
    /** `call_error` messages. */
    readonly errors: number;
    /** Frames that a full socket did not take in time. */
    readonly blocked: number;
  };
}

/** All phones, or all agents. */
export interface PartyCounts {
  readonly count: number;
  /** Frames of 20 ms. */
  readonly sent: number;
  readonly received: number;
  /** Frames that do not continue the signal: lost, repeated, concealed, silent. */
  readonly breaks: number;
  /** Breaks with hardly any signal. */
  readonly silent: number;
  /** Of the party that is furthest off: frames too many or too few by the clock. */
  readonly worstDeviationFrames: number;
  /** How late frames came, against each party's own earliest frame and an exact 20 ms rhythm. */
  readonly arrival: Lateness;
  /** How late the generator itself was. */
  readonly sending: Lateness;
}

export interface Lateness {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly maxMs: number;
}

/** What was lost, in words; empty: every call got every frame that was due, both ways. */
export function lossesOf(
  { phones, agents, leftOutMs }: GeneratorReport,
  phoneCount: number,
  agentCount: number,
): string[] {
  const faults: [boolean, string][] = [
    [leftOutMs > 0, `the generator left out ${leftOutMs} ms`],
    [phones.lost > 0, `${phones.lost} packets lost`],
    [agents.gone > 0, `${agents.gone} agents gone`],
    [agents.errors > 0, `${agents.errors} call errors`],
    [phones.worstDeviationFrames >= 1, `a phone off by ${phones.worstDeviationFrames.toFixed(0)} frames`],
    [agents.worstDeviationFrames >= 1, `an agent off by ${agents.worstDeviationFrames.toFixed(0)} frames`],
    [phones.count !== phoneCount, `${phones.count} of ${phoneCount} phones`],
    [agents.count !== agentCount, `${agents.count} of ${agentCount} agents`],
  ];
  return faults.filter(([fault]) => fault).map(([, text]) => text);
}
