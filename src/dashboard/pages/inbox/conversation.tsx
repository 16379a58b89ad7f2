import type { Answers } from '../../api/answers.ts';
import { ask } from '../../api/request.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { TextForm } from '../../parts/form.tsx';
import { PageHead, Read } from '../../parts/layout.tsx';
import { Moment } from '../../parts/moment.tsx';
import { useFollowed } from '../../parts/seen.ts';
import { Badge, State } from '../../parts/state.tsx';
import { texts } from '../../texts.ts';
import { t } from '../inbox.texts.ts';

type History = Answers['GET /api/inbox/{conversation_id}'];

/** The most that the gateway answers at once. */
const MOST = 200;

export function OpenConversation({ id }: { readonly id: string }) {
  const args = { params: { conversation_id: id }, query: { limit: MOST } };
  return (
    <Read from="GET /api/inbox/{conversation_id}" {...args} on={['dm_']} about={id}>
      {({ conversation, messages }) => (
        <>
          <PageHead title={conversation.remote_name || conversation.remote_id} back="/inbox">
            <Badge>{texts.platforms[conversation.platform] ?? conversation.platform}</Badge>
          </PageHead>
          <Window {...conversation} />
          <section class="card messages">
            <Messages conversation={conversation} messages={messages} />
            <Reply {...conversation} />
          </section>
        </>
      )}
    </Read>
  );
}

/** Whether a person on WhatsApp can be written to now. */
function Window({ whatsapp_window: window }: History['conversation']) {
  if (window === undefined) return null;
  return (
    <p class={`banner${window.open ? '' : ' warn'}`}>
      {window.open ? t.windowOpen : t.windowClosed(window.pending_count)}
    </p>
  );
}

interface MessagesProps extends Pick<History, 'conversation'> {
  readonly messages: readonly Message[];
}

function Messages({ conversation, messages }: MessagesProps) {
  const list = useFollowed<HTMLOListElement>(messages.at(-1)?.id);
  const marks = useMarks(conversation, messages);
  return (
    <ol ref={list} class="bubbles" aria-live="polite">
      {messages.map((message) => (
        <Bubble key={message.id} message={message} marks={marks.get(message.id) ?? NO_MARKS} />
      ))}
    </ol>
  );
}

function Reply({ platform, conversation_id, remote_id: peer, task, status }: History['conversation']) {
  if (status !== 'active') return <p class="quiet small">{t.closed}</p>;
  const target = platform === 'agent' ? { peer, task } : {};
  const send = (text: string) =>
    ask('POST /api/dm/chat', { body: { platform, conversation_id, text, ...target } });
  return <TextForm action={texts.send} label={t.reply} send={send} type="area" rows={2} maxLength={10_000} />;
}

export type Message = Answers['GET /api/inbox/{conversation_id}']['messages'][number];

/** A message, with what it answers and what people have done to it. */
export function Bubble({ message, marks }: { readonly message: Message; readonly marks: Marks }) {
  const { sender, text, reply_to: answered, choices, choice, direction, status, error } = message;
  return (
    <li class={direction}>
      {sender && <strong class="small">{sender.name ?? sender.id}</strong>}
      {answered && (
        <blockquote class="quiet small">
          {answered.author && <strong>{answered.author}: </strong>}
          {answered.text || answered.attachments?.map(({ name }) => name).join(', ')}
        </blockquote>
      )}
      {text !== '' && <p dir="auto">{text}</p>}
      {message.attachments.map((file) => (
        <File key={file.url} {...file} />
      ))}
      {choices && <p class="quiet small">{`${t.choices} ${choices.join(' · ')}`}</p>}
      {choice !== undefined && <p class="quiet small">{`${t.chosen} ${choice}`}</p>}
      <span class="quiet small row">
        <Moment iso={message.created_at} />
        {marks.isEdited && <span>{t.edited}</span>}
        {[...marks.reactions].map(([emoji, people]) => (
          <span key={emoji} title={people.join(', ')}>
            {emoji} {people.length > 1 && people.length}
          </span>
        ))}
        {direction === 'outbound' && <State of={status} detail={error} />}
      </span>
    </li>
  );
}

const IMAGE = /^image\/(?:png|jpeg|gif|webp)$/;

/** Files are served from the gateway; of other origins, only their link is shown. */
function File({ name, mime, size, url }: Message['attachments'][number]) {
  const isOwn = new URL(url, location.href).origin === location.origin;
  const label = `${name}${size === null ? '' : ` · ${texts.bytes(size)}`}`;
  return (
    <a class="file" href={url} target="_blank" rel="noopener noreferrer" download={name}>
      {isOwn && IMAGE.test(mime) ? <img src={url} alt={name} loading="lazy" /> : label}
    </a>
  );
}

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
