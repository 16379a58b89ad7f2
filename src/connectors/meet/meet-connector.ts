import type { Connector, Provides } from '../contract/connector.ts';
import { type GoogleClient, GoogleOAuth } from './oauth/google-oauth.ts';

const GOOGLE = { accounts: 'https://accounts.google.com', tokens: 'https://oauth2.googleapis.com' };

export interface MeetOptions {
  /** Replaces Google's hosts for sign-in and tokens; null: it does not. */
  readonly loginUrl: string | null;
  /** Null: the operator has not set it up. */
  readonly client: GoogleClient | null;
}

/** Google Meet. Accounts connect by OAuth. */
export class MeetConnector implements Connector {
  readonly platform = 'meet' as const;
  readonly provides: Provides;

  constructor({ loginUrl, client }: MeetOptions) {
    const urls = loginUrl === null ? GOOGLE : { accounts: loginUrl, tokens: loginUrl };
    this.provides = { oauth: new GoogleOAuth(urls, client) };
  }

  async start(): Promise<void> {}

  async close(): Promise<void> {}
}
