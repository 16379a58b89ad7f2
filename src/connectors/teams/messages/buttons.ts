import * as z from 'zod';
import type { OffersChoices } from '../../contract/messenger.ts';

/** Teams shows six buttons of a card (https://learn.microsoft.com/microsoftteams/platform/task-modules-and-cards/cards/cards-reference#hero-card). */
export const CHOICES: OffersChoices = { most: 6, longest: 50 };

/** What a press brings along. */
const Value = z.object({ svc_choice: z.string().min(1) });

/** Returns a card with buttons. A press posts the label in the person's name. */
export function cardOf(choices: readonly string[]): object {
  const buttons = choices.map((title) => ({
    type: 'messageBack',
    title,
    displayText: title,
    text: title,
    value: { svc_choice: title },
  }));
  return { contentType: 'application/vnd.microsoft.card.hero', content: { buttons } };
}

/** Returns the label of one of the gateway's own buttons; null: it is none. */
export function choiceIn(value: unknown): string | null {
  return Value.safeParse(value).data?.svc_choice ?? null;
}
