import type { Space } from '../../base/address.ts';

/** What a connector keeps of its logins between two runs. A change is on disk once its promise settles. */
export interface PlatformRecords {
  /** Returns the value; null: there is none. */
  find(loginKey: string, kind: string, key?: string): Promise<unknown>;
  /** Returns the values of a kind, by key. */
  list(loginKey: string, kind: string): Promise<unknown[]>;
  /** Returns the values of a kind in a group, of connections of other accounts than the one whose connection this is. */
  ofOtherAccounts(connectionId: string, kind: string, group: string): Promise<unknown[]>;
  /**
   * Adds or replaces a record. Returns false, and stores nothing, when what it goes with is gone, or when another login
   * has `unique`.
   */
  put(record: PlatformRecord): Promise<boolean>;
  /** Deletes a record; without a kind, everything of the login. */
  delete(loginKey: string, kind?: string, key?: string): Promise<void>;
}

/** A record goes with its login: it is deleted when the bot or connection is. */
export interface PlatformRecord {
  readonly loginKey: string;
  readonly kind: string;
  /** Tells several of a kind apart. Absent: the login has one. */
  readonly key?: string;
  /** Stored as JSON. */
  readonly value: unknown;
  /** What no two logins of the platform have in common, in records of this kind. */
  readonly unique?: string;
  /** What `ofOtherAccounts` finds the record by. */
  readonly group?: string | null;
  /** The record goes with this message, too. */
  readonly messageId?: string;
  /** The record goes with the connections that link this space to the login, too. Its key is `kind id`. */
  readonly space?: Space;
}
