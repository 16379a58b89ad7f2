/** Returns what jitter buffers count. */
export function newJitterCounters() {
  return {
    /** Packets inserted. */
    received: 0,
    /** Packets refused. */
    duplicate: 0,
    late: 0,
    /** Packets that never arrived in time to be played. */
    lost: 0,
    /** Number of times that audio was concealed. */
    concealed: 0,
    /** Packets dropped to reduce the delay. */
    droppedForDepth: 0,
    /** Milliseconds by which audio was shortened to reduce the delay, and lengthened to raise it. */
    shortenedMs: 0,
    lengthenedMs: 0,
  };
}

export type JitterCounters = ReturnType<typeof newJitterCounters>;

const NAMES = Object.keys(newJitterCounters()) as (keyof JitterCounters)[];

export function addJitterCounters(total: JitterCounters, more: JitterCounters): void {
  for (const name of NAMES) total[name] += more[name];
}
