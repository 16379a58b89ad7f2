import { newTs } from '../slack-ids.ts';
import type { FakeFile } from './fake-file.ts';
import type { FakeMessage } from './fake-message.ts';
import type { FakeUser } from './fake-user.ts';

export interface Posting {
  readonly user: FakeUser;
  readonly text: string;
  readonly botId?: string;
  readonly threadTs?: string | null;
  readonly files?: readonly FakeFile[];
  readonly metadata?: unknown;
  readonly blocks?: unknown;
}

/** A channel, or the direct messages of two. */
export class FakeChannel {
  readonly id: string;
  readonly teamId: string;
  readonly kind: 'channel' | 'group' | 'im';
  /** '' in direct messages. */
  readonly name: string;
  readonly members = new Set<FakeUser>();
  readonly messages: FakeMessage[] = [];
  isArchived = false;

  constructor(id: string, { teamId, kind, name }: Pick<FakeChannel, 'teamId' | 'kind' | 'name'>) {
    this.id = id;
    this.teamId = teamId;
    this.kind = kind;
    this.name = name;
  }

  post({ user, text, botId, threadTs, files = [], metadata, blocks }: Posting): FakeMessage {
    for (const file of files) file.isShared = true;
    const message = {
      ts: newTs(),
      user,
      botId: botId ?? null,
      threadTs: threadTs ?? null,
      text,
      files,
      editedTs: null,
      metadata,
      ...(blocks !== undefined && { blocks }),
      reactions: new Set<string>(),
    };
    this.messages.push(message);
    return message;
  }

  message(ts: string): FakeMessage | undefined {
    return this.messages.find((each) => each.ts === ts);
  }

  remove(message: FakeMessage): void {
    this.messages.splice(this.messages.indexOf(message), 1);
  }

  /** As `conversations.info` answers it. */
  wire(reader: FakeUser): Readonly<Record<string, unknown>> {
    const isIm = this.kind === 'im';
    const other = [...this.members].find((member) => member !== reader);
    return {
      id: this.id,
      created: 1_700_000_000,
      is_im: isIm,
      is_channel: this.kind === 'channel',
      is_group: this.kind === 'group',
      is_mpim: false,
      is_private: this.kind !== 'channel',
      is_archived: this.isArchived,
      context_team_id: this.teamId,
      ...(isIm
        ? { user: other?.id, is_open: true }
        : { name: this.name, is_member: this.members.has(reader), num_members: this.members.size }),
    };
  }
}
