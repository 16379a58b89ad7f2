import type { LoginRef } from '../../base/address.ts';
import { KeyedQueue } from '../../base/keyed-queue.ts';
import type { PlatformRecords } from '../contract/records.ts';

/** Who a login is at Slack. */
export interface BotIdentity {
  readonly teamId: string;
  /** The organization of the workspace; null: none. */
  readonly enterpriseId: string | null;
  /** Whether the app is installed in the whole organization. */
  readonly isOrgWide: boolean;
  /** The bot's own user. */
  readonly userId: string;
}

/** A login of one account: an own bot, or a workspace with the shared app. */
export type AccountLogin = Exclude<LoginRef, { readonly kind: 'shared' }>;

const KIND = 'identity';

/** What is kept of logins between two runs. A change is on disk once its promise settles. */
export class SlackRecords {
  readonly #records: PlatformRecords;
  /** Claims in an organization, one after the other. */
  readonly #queue = new KeyedQueue();

  constructor(records: PlatformRecords) {
    this.#records = records;
  }

  /** Null: Slack has never told who the login is. */
  async identity(loginKey: string): Promise<BotIdentity | null> {
    return (await this.#records.find(loginKey, KIND)) as BotIdentity | null;
  }

  /**
   * Stores who a login is. Returns false when another one is the same bot at Slack, or when a connection would include
   * a workspace that another account has connected: the shared app in an organization, or in one of its workspaces.
   */
  async claim(login: AccountLogin, identity: BotIdentity): Promise<boolean> {
    const { teamId, userId, enterpriseId: group } = identity;
    return await this.#queue.run(group ?? '', async () => {
      if (await this.#overlaps(login, identity)) return false;
      const unique = `${teamId} ${userId}`;
      return await this.#records.put({ loginKey: login.id, kind: KIND, value: identity, unique, group });
    });
  }

  /** Own bots are apps of their own, which may be in the same workspace. */
  async #overlaps({ kind, id }: AccountLogin, { enterpriseId, isOrgWide }: BotIdentity): Promise<boolean> {
    if (kind !== 'connection' || enterpriseId === null) return false;
    const others = (await this.#records.ofOtherAccounts(id, KIND, enterpriseId)) as BotIdentity[];
    return others.some((other) => isOrgWide || other.isOrgWide);
  }
}

/** Returns the id of the workspace or organization in which the app is installed. */
export function installedIn({ teamId, enterpriseId, isOrgWide }: BotIdentity): string {
  return isOrgWide && enterpriseId !== null ? enterpriseId : teamId;
}
