import type { Db } from '../../store/database/rows.ts';
import { newestOf } from '../../store/messages/messages.ts';

/** A number behind a choice's place in the list. */
const NUMBER = /^\d{1,2}$/;

/**
 * Returns what a person has picked by a text instead of a button: the label of a choice, or its number in the list. Only
 * the newest message of the conversation asks. Null: nothing.
 */
export async function pickedBy(db: Db, conversationId: string, text: string): Promise<string | null> {
  const asked = await newestOf(db, conversationId);
  const choices = asked?.direction === 'outbound' ? (asked.choices ?? []) : [];
  const words = text.trim().toLowerCase();
  const numbered = NUMBER.test(words) ? choices[Number(words) - 1] : undefined;
  return choices.find((choice) => choice.toLowerCase() === words) ?? numbered ?? null;
}
