import { useState } from 'preact/hooks';
import { Link, useParams } from 'wouter-preact';
import type { Conversation } from '../api/answers.ts';
import { Input } from '../parts/form.tsx';
import { Empty, PageHead } from '../parts/layout.tsx';
import { List } from '../parts/list.tsx';
import { Moment } from '../parts/moment.tsx';
import { texts } from '../texts.ts';
import { OpenConversation } from './inbox/conversation.tsx';
import { t } from './inbox.texts.ts';

const PAGE = 50;
const PLATFORMS = [['', texts.all] as const, ...Object.entries(texts.platforms)];

/** The conversations, and one of them. */
export function InboxPage() {
  const { id } = useParams<{ id?: string }>();
  const [platform, setPlatform] = useState('');
  return (
    <div class={`inbox${id === undefined ? '' : ' has-open'}`}>
      <div class="list">
        <PageHead title={texts.pages.inbox} />
        <Input label={texts.platform} type="choice" onValue={setPlatform} options={PLATFORMS} />
        <section class="card">
          <List
            from="GET /api/inbox"
            query={{ limit: PAGE, status: 'all' }}
            on={['dm_']}
            of={({ conversations }) =>
              conversations.filter((each) => platform === '' || each.platform === platform)
            }
            by="conversation_id"
            next={(last, pages) => (last.conversations.length < PAGE ? null : { offset: pages * PAGE })}
            none={t.none}
            class="long"
          >
            {(each) => <ConversationRow {...each} isOpen={each.conversation_id === id} />}
          </List>
        </section>
      </div>
      <div class="open">
        {id === undefined ? <Empty>{t.choose}</Empty> : <OpenConversation key={id} id={id} />}
      </div>
    </div>
  );
}

export function ConversationRow(row: Conversation & { readonly isOpen?: boolean }) {
  const { conversation_id: id, preview, platform, isOpen = false } = row;
  return (
    <li>
      <Link href={`/inbox/${id}`} class="conversation" aria-current={isOpen ? 'true' : undefined}>
        <span class="row spread">
          <strong class="cut" dir="auto">
            {row.remote_name || row.remote_id}
          </strong>
          <span class="quiet small">{preview && <Moment iso={preview.created_at} />}</span>
        </span>
        <span class="quiet small cut">
          {texts.platforms[platform]}
          {preview && `: ${previewOf(preview)}`}
        </span>
      </Link>
    </li>
  );
}

function previewOf({ text, direction, attachments }: NonNullable<Conversation['preview']>): string {
  const shown = text || attachments.map(({ name }) => name).join(', ');
  return direction === 'outbound' ? `${t.you} ${shown}` : shown;
}
