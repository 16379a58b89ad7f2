import type { LoginRef } from '../contract/login.ts';

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

/** What is kept of logins between two runs. A change is on disk once its promise settles. */
export interface SlackRecords {
  /** Null: Slack has never told who the login is. */
  identity(loginKey: string): Promise<BotIdentity | null>;
  /**
   * Stores who a login is. Returns false when another one is the same bot at Slack, or when a connection would include
   * a workspace that another account has connected.
   */
  claim(login: AccountLogin, identity: BotIdentity): Promise<boolean>;
}

/** Returns the id of the workspace or organization in which the app is installed. */
export function installedIn({ teamId, enterpriseId, isOrgWide }: BotIdentity): string {
  return isOrgWide && enterpriseId !== null ? enterpriseId : teamId;
}
