import { FRAME_MS } from '../../src/base/frame.ts';

/** Real calls do not start their frames in the same instant: members are spread over four phases of 5 ms. */
const PHASES = 4;
const PHASE_MS = FRAME_MS / PHASES;
const POLL_MS = 2;

/**
 * One timer for all: `frame(member)` for every member once every 20 ms, without drift. `late` is told how late each
 * turn was, so that what the generator itself held up is not blamed on the gateway.
 */
export function startPhasedClock(
  memberCount: () => number,
  frame: (member: number) => void,
  late: (latenessMs: number) => void,
): void {
  const startMs = performance.now();
  let done = 0;
  setInterval(() => {
    const due = Math.floor((performance.now() - startMs) / PHASE_MS) + 1;
    for (; done < due; done++) {
      late(performance.now() - startMs - done * PHASE_MS);
      for (let member = done % PHASES; member < memberCount(); member += PHASES) frame(member);
    }
  }, POLL_MS);
}
