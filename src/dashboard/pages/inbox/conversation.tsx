import type { Answers } from '../../api/answers.ts';
import { ask } from '../../api/request.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { TextForm } from '../../parts/form.tsx';
import { PageHead, Read } from '../../parts/layout.tsx';
import { useFollowed } from '../../parts/seen.ts';
import { Badge, Moment, State } from '../../parts/value.tsx';
import { texts } from '../../texts.ts';
import { t } from '../inbox.texts.ts';

type History = Answers['GET /api/inbox/{conversation_id}'];

/** The most that the gateway answers at once. */
const MOST = 200;

export function OpenConversation({ id }: { readonly id: string }) {
  const one = { conversation_id: id, limit: MOST };
  return (
    <Read from="GET /api/inbox/{conversation_id}" with={one} on={['dm_']}>
      {(history) => (
        <>
          <PageHead title={history.conversation.remote_name || history.conversation.remote_id} back="/inbox">
            <Badge>{texts.platforms[history.conversation.platform]}</Badge>
          </PageHead>
          <Window {...history.conversation} />
          <section class="card">
            <Messages {...history} />
            <Reply {...history.conversation} />
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

function Messages(history: History) {
  const list = useFollowed<HTMLOListElement>(history.messages.at(-1)?.id);
  const marks = useMarks(history);
  return (
    <ol ref={list} class="bubbles" aria-live="polite">
      {history.messages.map((message) => (
        <Bubble key={message.id} message={message} marks={marks.get(message.id) ?? []} />
      ))}
    </ol>
  );
}

function Reply({ platform, conversation_id, remote_id: peer, task, status }: History['conversation']) {
  if (status !== 'active') return <p class="quiet small">{t.closed}</p>;
  const target = platform === 'agent' ? { peer, task } : {};
  const send = (text: string) => ask('POST /api/dm/chat', { platform, conversation_id, text, ...target });
  return <TextForm action={texts.send} label={t.reply} send={send} rows={2} maxLength={10_000} />;
}

type Message = History['messages'][number];

/** A message, with what it answers and what people have done to it. */
function Bubble({ message, marks }: { readonly message: Message; readonly marks: readonly Event[] }) {
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
        {marks.some(({ type }) => type === 'dm_edited') && <span>{t.edited}</span>}
        {[...reactionsOf(marks)].map(([emoji, people]) => (
          <span key={emoji} title={[...people].join(', ')}>
            {emoji} {people.size > 1 && people.size}
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

type Event = NonNullable<Answers['GET /api/inbox']['events']>[number];

/** Of so many of the newest messages. */
const MARKED = 20;
const MOST_EVENTS = 200;

/** Edits and reactions of a conversation's newest messages, by the id of the message. They are events, not part of messages. */
function useMarks({ conversation, messages }: History): ReadonlyMap<string | undefined, readonly Event[]> {
  const { conversation_id: id, platform } = conversation;
  const since = messages.at(-MARKED)?.created_at ?? messages[0]?.created_at;
  const events = { last_message_cursor: since, platform, limit: MOST_EVENTS };
  const when = { on: ['dm_reaction', 'dm_edited'], off: since === undefined };
  const { data } = useAnswer('GET /api/inbox', events, when);
  const own = (data?.events ?? []).filter((event) => event.conversation_id === id);
  return Map.groupBy(own, (event) => event.message_id);
}

/** Names of who has reacted, by emoji. */
function reactionsOf(marks: readonly Event[]): Map<string, Set<string>> {
  const reactions = new Map<string, Set<string>>();
  for (const { emoji, action, person } of marks) {
    if (!emoji) continue;
    const people = reactions.get(emoji) ?? new Set();
    const who = person?.name ?? person?.id ?? '';
    if (action === 'removed') people.delete(who);
    else people.add(who);
    if (people.size === 0) reactions.delete(emoji);
    else reactions.set(emoji, people);
  }
  return reactions;
}
