import { newId } from '../slack-ids.ts';
import { FakeChannel } from './fake-channel.ts';
import { FakeFile, type FileFacts } from './fake-file.ts';
import type { FakeUser } from './fake-user.ts';

/** An organization of Enterprise Grid. */
export interface FakeEnterprise {
  readonly id: string;
  readonly name: string;
}

/** A workspace: its people, bots, channels and files. */
export class FakeWorkspace {
  readonly id = newId('T');
  readonly name: string;
  readonly users = new Map<string, FakeUser>();
  readonly channels = new Map<string, FakeChannel>();
  readonly files = new Map<string, FakeFile>();
  /** The organization that it belongs to; null: none. */
  readonly enterprise: FakeEnterprise | null;
  readonly #fileRoot: () => string;

  /** `fileRoot`: where the bytes of files are. */
  constructor(name: string, enterprise: FakeEnterprise | null, fileRoot: () => string) {
    this.name = name;
    this.enterprise = enterprise;
    this.#fileRoot = fileRoot;
  }

  addUser(realName: string, isBot = false): FakeUser {
    const name = realName.toLowerCase().replace(/\W+/g, '_');
    const user = { id: newId('U'), teamId: this.id, name, realName, isBot, isDeleted: false };
    this.users.set(user.id, user);
    return user;
  }

  addChannel(name: string, members: readonly FakeUser[], kind: 'channel' | 'group' = 'channel'): FakeChannel {
    return this.#add(new FakeChannel(newId('C'), { teamId: this.id, kind, name }), members);
  }

  /** The direct messages of two, which are there once either has opened them. */
  directMessages(one: FakeUser, other: FakeUser): FakeChannel {
    const isTheirs = ({ kind, members }: FakeChannel) =>
      kind === 'im' && members.has(one) && members.has(other);
    const known = [...this.channels.values()].find(isTheirs);
    return (
      known ?? this.#add(new FakeChannel(newId('D'), { teamId: this.id, kind: 'im', name: '' }), [one, other])
    );
  }

  addFile(facts: Omit<FileFacts, 'id'>, id = newId('F')): FakeFile {
    const file = new FakeFile({ ...facts, id }, this.#fileRoot());
    this.files.set(file.id, file);
    return file;
  }

  #add(channel: FakeChannel, members: readonly FakeUser[]): FakeChannel {
    for (const member of members) channel.members.add(member);
    this.channels.set(channel.id, channel);
    return channel;
  }
}
