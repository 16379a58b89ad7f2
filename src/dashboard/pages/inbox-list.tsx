import { Link } from 'wouter-preact';
import type { Conversation } from '../api/answers.ts';
import { Rows } from '../parts/layout.tsx';
import { Moment } from '../parts/moment.tsx';
import { texts } from '../texts.ts';

interface RowsProps {
  readonly conversations: readonly Conversation[];
  /** Id of the one that is open. */
  readonly open?: string | undefined;
}

export function ConversationRows({ conversations, open }: RowsProps) {
  return (
    <Rows of={conversations} none={texts.inbox.none} class="long">
      {(each) => (
        <ConversationRow key={each.conversation_id} {...each} isOpen={each.conversation_id === open} />
      )}
    </Rows>
  );
}

function ConversationRow(row: Conversation & { readonly isOpen: boolean }) {
  const { conversation_id: id, preview, platform, isOpen } = row;
  return (
    <li>
      <Link href={`/inbox/${id}`} class="conversation" aria-current={isOpen ? 'true' : undefined}>
        <span class="row spread">
          <strong class="cut">{nameOf(row)}</strong>
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

export function nameOf({
  remote_name: name,
  remote_id: id,
}: Pick<Conversation, 'remote_name' | 'remote_id'>): string {
  return name || id;
}

function previewOf({ text, direction, attachments }: NonNullable<Conversation['preview']>): string {
  const shown = text || attachments.map(({ name }) => name).join(', ');
  return direction === 'outbound' ? `${texts.inbox.you} ${shown}` : shown;
}
