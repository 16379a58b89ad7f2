import * as z from 'zod';
import type { Address } from '../../../src/base/address.ts';
import type {
  InboundMessage,
  OutboundMessage,
  ShowsReactions,
} from '../../../src/connectors/contract/messenger.ts';
import { reactionOutcome } from '../../../src/connectors/kit/reactions.ts';
import type { LoopbackLogin } from './loopback-bot.ts';

/** What messages have around them: quotes, buttons and reactions. A platform works without this file. */

/** Of a message: what it answers, and the button that was pressed. */
export const contextFields = {
  answers: z
    .object({ id: z.string(), author: z.object({ name: z.string() }), text: z.string() })
    .nullable()
    .default(null),
  pressed: z.string().nullable().default(null),
};

type Context = z.output<z.ZodObject<typeof contextFields>>;

export function contextOf({ answers, pressed }: Context): Pick<InboundMessage, 'replyTo' | 'choice'> {
  return {
    ...(answers && {
      replyTo: { platformMessageId: answers.id, author: answers.author.name, text: answers.text },
    }),
    ...(pressed !== null && { choice: pressed }),
  };
}

/** What the vendor is told beside the text. */
export function sentContext({ replyTo, choices }: OutboundMessage) {
  return { answers: replyTo, buttons: choices };
}

/** Of the event that somebody has reacted to a message. */
export const reactionFields = {
  author: z.object({ id: z.string(), name: z.string() }),
  emoji: z.string(),
  is_added: z.boolean(),
};

export function reactionOf(
  platformMessageId: string,
  { author, emoji, is_added: isAdded }: z.output<z.ZodObject<typeof reactionFields>>,
) {
  return { platformMessageId, emoji, isAdded, senderName: author.name };
}

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
