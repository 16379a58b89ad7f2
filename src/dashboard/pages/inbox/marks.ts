import type { Answers } from '../../api/answers.ts';
import { useAnswer } from '../../api/use-answer.ts';

type Conversation = Answers['GET /api/inbox/{conversation_id}']['conversation'];
type Event = NonNullable<Answers['GET /api/inbox']['events']>[number];

/** What people have done to a message since it was written. */
export interface Marks {
  readonly isEdited: boolean;
  /** Names of who has reacted, by emoji. */
  readonly reactions: ReadonlyMap<string, readonly string[]>;
}

export const NO_MARKS: Marks = { isEdited: false, reactions: new Map() };

/** Of so many of the newest messages. */
const MARKED = 20;
const MOST_EVENTS = 200;

/** Edits and reactions of a conversation's newest messages, by the id of the message. They are events, not part of messages. */
export function useMarks(
  { conversation_id: id, platform }: Conversation,
  messages: readonly { readonly created_at: string }[],
): ReadonlyMap<string, Marks> {
  const since = messages.at(-MARKED)?.created_at ?? messages[0]?.created_at;
  const query = { last_message_cursor: since, platform, limit: MOST_EVENTS };
  const on = ['dm_reaction', 'dm_edited'];
  const { data } = useAnswer('GET /api/inbox', { query, on, about: id, off: since === undefined });
  const marks = new Map<string, Marks>();
  for (const event of data?.events ?? []) {
    const { conversation_id: of, message_id: messageId } = event;
    if (of !== id || messageId === undefined) continue;
    marks.set(messageId, marked(marks.get(messageId) ?? NO_MARKS, event));
  }
  return marks;
}

function marked(marks: Marks, { type, emoji, action, person }: Event): Marks {
  if (type === 'dm_edited') return { ...marks, isEdited: true };
  if (type !== 'dm_reaction' || !emoji) return marks;
  const who = person?.name ?? person?.id ?? '';
  const others = (marks.reactions.get(emoji) ?? []).filter((name) => name !== who);
  const reactions = new Map(marks.reactions).set(emoji, action === 'removed' ? others : [...others, who]);
  if (reactions.get(emoji)?.length === 0) reactions.delete(emoji);
  return { ...marks, reactions };
}
