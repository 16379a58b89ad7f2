import type { ShowsWriting } from '../../contract/live-message.ts';
import { liveOutcomeOf } from '../../kit/live-outcome.ts';
import { failureOf } from '../client.ts';
import {
  deleteActivity,
  editActivity,
  postActivity,
  type SendDeps,
  targetOf,
  textActivity,
} from './send-message.ts';

const DEADLINE_MS = 5_000;

/**
 * A message that is edited while it is written. A conversation takes 7 requests in a second and 60 in 30 s, a tenant 30 a
 * second (https://learn.microsoft.com/microsoftteams/platform/bots/how-to/rate-limit).
 */
export function showsEdits(deps: SendDeps): ShowsWriting {
  return {
    kind: 'message',
    pace: { begins: { most: 10, perSecond: 10 }, all: { most: 10, perSecond: 18 }, everyMs: 1_500 },
    shows: () => true,
    async show({ to, shownId, text }, signal) {
      const options = { deadlineMs: DEADLINE_MS, signal };
      try {
        const target = await targetOf(deps, to, options);
        if (shownId === null)
          return {
            kind: 'shown',
            shownId: await postActivity(deps.api, target, textActivity(text), options),
          };
        await editActivity(deps.api, target, { id: shownId, text }, options);
        return { kind: 'shown', shownId };
      } catch (error) {
        return liveOutcomeOf(failureOf(error));
      }
    },
    async remove(to, shownId, signal) {
      const options = { deadlineMs: DEADLINE_MS, signal };
      try {
        await deleteActivity(deps.api, await targetOf(deps, to, options), shownId, options);
      } catch {
        // Best effort.
      }
    },
  };
}
