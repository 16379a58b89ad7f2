import type { FakeUser } from './fake-user.ts';

export interface FileFacts {
  readonly id: string;
  readonly name: string;
  readonly mime: string;
  readonly bytes: Buffer;
  readonly owner: FakeUser;
}

/** A file at Slack, with the addresses of its bytes. */
export class FakeFile {
  readonly id: string;
  readonly name: string;
  readonly mime: string;
  readonly bytes: Buffer;
  readonly owner: FakeUser;
  readonly #root: string;
  title: string;
  isDeleted = false;
  /** As from another workspace over Slack Connect: events say nothing but its id. */
  isFromElsewhere = false;
  /** Whether it is in a channel, and not just uploaded. */
  isShared = false;

  constructor({ id, name, mime, bytes, owner }: FileFacts, root: string) {
    this.id = id;
    this.name = name;
    this.title = name;
    this.mime = mime;
    this.bytes = bytes;
    this.owner = owner;
    this.#root = root;
  }

  get path(): string {
    return `/files-pri/${this.owner.teamId}-${this.id}/download/${encodeURIComponent(this.name)}`;
  }

  /** As in events. */
  wire(): Readonly<Record<string, unknown>> {
    if (this.isDeleted) return { id: this.id, mode: 'tombstone' };
    return this.isFromElsewhere
      ? { id: this.id, mode: 'file_access', file_access: 'check_file_info' }
      : this.info();
  }

  /** As `files.info` answers it. */
  info(): Readonly<Record<string, unknown>> {
    return {
      id: this.id,
      created: 1_700_000_000,
      name: this.name,
      title: this.title,
      mimetype: this.mime,
      // What people record in Slack is named so.
      ...(this.name.startsWith('audio_message') && { subtype: 'slack_audio' }),
      filetype: this.name.split('.').at(-1),
      user: this.owner.id,
      size: this.bytes.length,
      mode: 'hosted',
      is_external: false,
      url_private: `${this.#root}${this.path.replace('/download/', '/')}`,
      url_private_download: `${this.#root}${this.path}`,
    };
  }
}
