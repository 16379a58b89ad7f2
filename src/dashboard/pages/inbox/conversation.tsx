import { useEffect, useRef } from 'preact/hooks';
import type { Answers } from '../../api/answers.ts';
import { ask } from '../../api/request.ts';
import { TextForm } from '../../parts/form.tsx';
import { PageHead, Read } from '../../parts/layout.tsx';
import { Badge } from '../../parts/state.tsx';
import { texts } from '../../texts.ts';
import { t } from '../inbox.texts.ts';
import { Bubble, type Message } from './bubble.tsx';
import { NO_MARKS, useMarks } from './marks.ts';

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
  const end = useRef<HTMLLIElement>(null);
  const lastId = messages.at(-1)?.id;
  const marks = useMarks(conversation, messages);
  useEffect(() => end.current?.scrollIntoView({ block: 'nearest' }), [lastId]);
  return (
    <ol class="bubbles" aria-live="polite">
      {messages.map((message) => (
        <Bubble key={message.id} message={message} marks={marks.get(message.id) ?? NO_MARKS} />
      ))}
      <li ref={end} class="end" aria-hidden="true" />
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
