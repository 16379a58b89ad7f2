import { FileTree } from '../dav/file-tree.ts';
import { newWord } from './nc-ids.ts';

export interface NewUser {
  /** Of the page to log in; it works for clients too. */
  readonly password?: string;
  readonly isAdmin?: boolean;
}

/** A user of the Nextcloud, played by a test, or a bot. */
export class FakeNcUser {
  readonly uid: string;
  readonly password: string;
  readonly isAdmin: boolean;
  readonly files = new FileTree();
  readonly appPasswords = new Set<string>();
  displayName: string;
  avatar: Buffer | null = null;
  /** Whether the account was disabled. */
  isDisabled = false;

  constructor(uid: string, displayName: string, { password = newWord(20), isAdmin = false }: NewUser = {}) {
    this.uid = uid;
    this.displayName = displayName;
    this.password = password;
    this.isAdmin = isAdmin;
  }

  addAppPassword(): string {
    const password = [0, 1, 2, 3, 4].map(() => newWord(5)).join('-');
    this.appPasswords.add(password);
    return password;
  }

  hasPassword(password: string): boolean {
    return !this.isDisabled && (password === this.password || this.appPasswords.has(password));
  }

  /** As other services name the user. */
  get actorId(): string {
    return `users/${this.uid}`;
  }
}
