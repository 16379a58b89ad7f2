import type { LiveOutcome } from '../contract/live-message.ts';
import { PlatformFailure } from './platform-failure.ts';

const AGAIN_MS = 1_000;

/** What a failed request means for a message that is still being written. Throws what is no failure of the platform. */
export function liveOutcomeOf(error: unknown): LiveOutcome {
  if (!(error instanceof PlatformFailure)) throw error;
  if (error.kind === 'refused') return { kind: 'refused' };
  return { kind: 'later', afterMs: error.afterMs || AGAIN_MS, isUnclear: error.kind === 'unclear' };
}
