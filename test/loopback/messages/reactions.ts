import * as z from 'zod';
import type { Address } from '../../../src/base/address.ts';
import type { ShowsReactions } from '../../../src/connectors/contract/messenger.ts';
import { reactionOutcome } from '../../../src/connectors/kit/reactions.ts';
import type { LoopbackLogin } from './loopback-bot.ts';

export function reactionsBy(
  loginOf: (to: Address) => LoopbackLogin | undefined,
  pathOf: (to: Address) => string,
): ShowsReactions {
  return {
    async react(to, { platformMessageId, emoji, isAdded }, signal) {
      const login = loginOf(to);
      if (login === undefined) return { kind: 'failed', reason: 'The login is gone' };
      const path = `${pathOf(to)}/messages/${platformMessageId}/reactions`;
      const request = { method: 'POST', path, json: { emoji, is_added: isAdded } } as const;
      return await reactionOutcome('The loopback vendor', login.api.call(request, z.unknown(), signal));
    },
  };
}
