import { useState } from 'preact/hooks';
import { useParams } from 'wouter-preact';
import type { Conversation } from '../api/answers.ts';
import { Input } from '../parts/form.tsx';
import { Empty, PageHead } from '../parts/layout.tsx';
import { List, Row } from '../parts/list.tsx';
import { Moment } from '../parts/value.tsx';
import { texts } from '../texts.ts';
import { OpenConversation } from './inbox/conversation.tsx';
import { t } from './inbox.texts.ts';

const PAGE = 50;
const PLATFORMS = { '': texts.all, ...texts.platforms };

/** The conversations, and one of them. */
export function InboxPage() {
  const { id } = useParams<{ id?: string }>();
  const [platform, setPlatform] = useState('');
  return (
    <div class={`inbox${id === undefined ? '' : ' has-open'}`}>
      <div class="list">
        <PageHead title={texts.pages.inbox} />
        <Input label={texts.platform} onValue={setPlatform} options={PLATFORMS} />
        <section class="card">
          <List
            from="GET /api/inbox"
            with={{ limit: PAGE, status: 'all' }}
            on={['dm_']}
            of={({ conversations }) =>
              conversations.filter((each) => platform === '' || each.platform === platform)
            }
            by="conversation_id"
            next={(last, pages) => (last.conversations.length < PAGE ? null : { offset: pages * PAGE })}
            none={t.none}
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
  const { conversation_id: id, preview, platform, remote_name: name, remote_id, isOpen } = row;
  const said = preview ? `: ${previewOf(preview)}` : '';
  const note = <span class="cut">{`${texts.platforms[platform]}${said}`}</span>;
  return (
    <Row title={name || remote_id} note={note} href={`/inbox/${id}`} isOpen={isOpen}>
      <span class="quiet small">{preview && <Moment iso={preview.created_at} />}</span>
    </Row>
  );
}

function previewOf({ text, direction, attachments }: NonNullable<Conversation['preview']>): string {
  const shown = text || attachments.map(({ name }) => name).join(', ');
  return direction === 'outbound' ? `${t.you} ${shown}` : shown;
}
