import type { Address } from '../../../base/address.ts';
import type { ShowsWriting } from '../../contract/live-message.ts';
import { liveOutcomeOf } from '../../kit/live-outcome.ts';
import type { DiscordRest } from '../client.ts';

interface Place {
  readonly rest: Pick<DiscordRest, 'postLive' | 'editMessage' | 'deleteMessage'>;
  readonly channelId: string;
}

/**
 * A message that is edited while it is written. A channel takes five posts and five edits in five seconds, a bot 50 requests
 * a second (https://docs.discord.com/developers/topics/rate-limits).
 */
export function showsEdits(
  placeOf: (to: Address, signal: AbortSignal) => Promise<Place | undefined>,
): ShowsWriting {
  return {
    kind: 'message',
    pace: { most: 40, updates: 16, withinMs: 1_000, everyMs: 1_500 },
    shows: () => true,
    async show({ to, key, shownId, text }, signal) {
      try {
        const place = await placeOf(to, signal);
        if (!place) return { kind: 'refused' };
        const { rest, channelId } = place;
        if (shownId === null)
          return { kind: 'shown', shownId: await rest.postLive(channelId, key, text, signal) };
        await rest.editMessage(channelId, shownId, text, signal);
        return { kind: 'shown', shownId };
      } catch (error) {
        return liveOutcomeOf(error);
      }
    },
    async remove(to, shownId, signal) {
      try {
        const place = await placeOf(to, signal);
        await place?.rest.deleteMessage(place.channelId, shownId, signal);
      } catch {
        // Best effort.
      }
    },
  };
}
