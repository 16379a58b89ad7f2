import * as z from 'zod';
import type { InboundMessage, OutboundMessage } from '../../../src/connectors/contract/messenger.ts';

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
