import { useSignal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useParams } from 'wouter-preact';
import type { Answers } from '../api/answers.ts';
import { ask } from '../api/request.ts';
import { useAnswer } from '../api/use-answer.ts';
import { Badge, type Tone } from '../parts/badge.tsx';
import { Area, Choice, Form } from '../parts/form.tsx';
import { Empty, Loaded, PageHead } from '../parts/layout.tsx';
import { Moment } from '../parts/moment.tsx';
import { texts } from '../texts.ts';
import { ConversationRows, nameOf } from './inbox-list.tsx';

type History = Answers['GET /api/inbox/{conversation_id}'];
type Message = History['messages'][number];

const t = texts.inbox;
const PAGE = 50;
/** The most that the gateway answers at once. */
const MOST = 200;

/** The conversations, and one of them. */
export function InboxPage() {
  const { id } = useParams<{ id?: string }>();
  const platform = useSignal('');
  const [pages, setPages] = useState(1);
  return (
    <div class={`inbox${id === undefined ? '' : ' has-open'}`}>
      <div class="list">
        <PageHead title={texts.nav.inbox} />
        <Choice label={t.filter} of={platform} options={[['', t.all], ...Object.entries(texts.platforms)]} />
        <section class="card">
          {Array.from({ length: pages }, (_, page) => (
            <Conversations
              key={page}
              offset={page * PAGE}
              platform={platform.value}
              open={id}
              {...(page === pages - 1 && { onMore: () => setPages(pages + 1) })}
            />
          ))}
        </section>
      </div>
      <div class="open">
        {id === undefined ? <Empty>{t.choose}</Empty> : <Conversation key={id} id={id} />}
      </div>
    </div>
  );
}

interface ConversationsProps {
  readonly offset: number;
  readonly platform: string;
  readonly open: string | undefined;
  /** Only of the last ones. */
  readonly onMore?: () => void;
}

/** Some of the conversations; each page of them is read by itself. */
function Conversations({ offset, platform, open, onMore }: ConversationsProps) {
  const inbox = useAnswer(
    'GET /api/inbox',
    { query: { limit: PAGE, offset, status: 'all' } },
    { on: ['dm_'] },
  );
  return (
    <Loaded answer={inbox}>
      {({ conversations }) => (
        <>
          {(conversations.length > 0 || offset === 0) && (
            <ConversationRows
              conversations={conversations.filter((each) => platform === '' || each.platform === platform)}
              open={open}
            />
          )}
          {conversations.length === PAGE && onMore && (
            <button type="button" onClick={onMore}>
              {texts.more}
            </button>
          )}
        </>
      )}
    </Loaded>
  );
}

function Conversation({ id }: { readonly id: string }) {
  const params = { conversation_id: id };
  const history = useAnswer(
    'GET /api/inbox/{conversation_id}',
    { params, query: { limit: MOST } },
    { on: ['dm_'], about: id },
  );
  return (
    <Loaded answer={history}>
      {({ conversation, messages }) => (
        <>
          <PageHead title={<span class="cut">{nameOf(conversation)}</span>} back="/inbox">
            <Badge>{texts.platforms[conversation.platform] ?? conversation.platform}</Badge>
          </PageHead>
          <Window {...conversation} />
          <section class="card messages">
            <Messages messages={messages} />
            <Reply conversation={conversation} />
          </section>
        </>
      )}
    </Loaded>
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

function Messages({ messages }: { readonly messages: readonly Message[] }) {
  const end = useRef<HTMLLIElement>(null);
  const lastId = messages.at(-1)?.id;
  useEffect(() => end.current?.scrollIntoView({ block: 'nearest' }), [lastId]);
  return (
    <ol class="bubbles" aria-live="polite">
      {messages.map((message) => (
        <li key={message.id} class={message.direction}>
          {message.sender && <strong class="small">{message.sender.name ?? message.sender.id}</strong>}
          {message.text !== '' && <p>{message.text}</p>}
          {message.attachments.map((file) => (
            <File key={file.url} {...file} />
          ))}
          <span class="quiet small row">
            <Moment iso={message.created_at} />
            {message.direction === 'outbound' && <Delivery {...message} />}
          </span>
        </li>
      ))}
      <li ref={end} class="end" aria-hidden="true" />
    </ol>
  );
}

const TONES: Readonly<Record<string, Tone>> = {
  failed: 'bad',
  unknown: 'bad',
  dropped: 'bad',
  pending: 'warn',
};

function Delivery({ status, error }: Message) {
  const words = t.deliveries[status] ?? status;
  return <Badge tone={TONES[status] ?? 'plain'}>{error === null ? words : `${words}: ${error}`}</Badge>;
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

function Reply({ conversation }: { readonly conversation: History['conversation'] }) {
  const text = useSignal('');
  const { platform, conversation_id: id, remote_id: peer, task } = conversation;
  const submit = async (): Promise<void> => {
    const target = platform === 'agent' ? { peer, task } : {};
    await ask('POST /api/dm/chat', { body: { platform, conversation_id: id, text: text.value, ...target } });
    text.value = '';
  };
  if (conversation.status !== 'active') return <p class="quiet small">{t.closed}</p>;
  return (
    <Form submit={submit} action={texts.send} inline>
      <Area label={t.reply} of={text} rows={2} maxLength={10_000} />
    </Form>
  );
}
