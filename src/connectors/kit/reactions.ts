import type { ReactionOutcome } from '../contract/messenger.ts';
import { platformFailure } from './platform-failure.ts';

/** Returns what became of a reaction. Rejects with what is no failure of the platform. */
export async function reactionOutcome(platform: string, request: Promise<unknown>): Promise<ReactionOutcome> {
  try {
    await request;
    return { kind: 'done' };
  } catch (error) {
    return { kind: 'failed', reason: platformFailure(platform, error).message };
  }
}
