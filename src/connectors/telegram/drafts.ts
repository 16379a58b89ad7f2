import { hash } from 'node:crypto';
import * as z from 'zod';
import type { LiveMessage, ShowsWriting } from '../contract/live-message.ts';
import { liveOutcomeOf } from '../kit/live-outcome.ts';
import type { BotApi } from './client.ts';
import { formatted } from './formatting.ts';
import { placeIn } from './outbound.ts';

const DEADLINE_MS = 5_000;

/**
 * Drafts, which Telegram shows in private chats for 30 s or until a message arrives
 * (https://core.telegram.org/bots/api#sendmessagedraft). A bot may send about one message a second to a chat, and 30 in all.
 */
export function showsDrafts(apiOf: (login: LiveMessage['to']['login']) => BotApi | undefined): ShowsWriting {
  return {
    kind: 'draft',
    pace: { most: 28, updates: 10, withinMs: 1_000, everyMs: 1_500 },
    shows: ({ space }) => space.kind === 'direct',
    async show({ to, key, text }, signal) {
      const api = apiOf(to.login);
      if (!api) return { kind: 'refused' };
      const { text: shown, entities } = formatted(text);
      const draft = { draft_id: draftId(key), text: shown, ...(entities.length > 0 && { entities }) };
      const parameters = { ...placeIn(to.space.id, to.thread), ...draft };
      try {
        await api.call('sendMessageDraft', parameters, { deadlineMs: DEADLINE_MS, signal }, z.unknown());
        return { kind: 'shown', shownId: null };
      } catch (error) {
        return liveOutcomeOf(error);
      }
    },
    remove: async () => {},
  };
}

/** A number other than 0, the same for all requests of a message. */
function draftId(key: string): number {
  return Number.parseInt(hash('sha256', key).slice(0, 7), 16) + 1;
}
