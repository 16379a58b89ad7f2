import type { Clock } from '../../base/time.ts';
import type { Connector } from '../contract/connector.ts';
import type { ConnectsByOAuth } from '../contract/oauth.ts';
import type { Registration } from '../kit/oauth-platform.ts';
import { PhoneMeetings, type PhoneMeetingsDeps } from '../kit/phone-meetings.ts';
import { MeetApi } from './api/meet-api.ts';
import { meetDirectory } from './calls/meet-directory.ts';
import { googleOAuth } from './oauth/google-oauth.ts';

const GOOGLE = {
  accounts: 'https://accounts.google.com',
  tokens: 'https://oauth2.googleapis.com',
  api: 'https://meet.googleapis.com',
};

export interface MeetOptions {
  /** Replaces Google's hosts for sign-in and tokens; null: it does not. */
  readonly loginUrl: string | null;
  /** Replaces Meet's REST API; null: it does not. */
  readonly apiUrl: string | null;
  /** Null: the operator has not set it up. */
  readonly client: Registration | null;
}

export interface MeetDeps extends PhoneMeetingsDeps {
  readonly clock: Clock;
}

/** Google Meet. Accounts connect by OAuth, which finds the phone numbers of their meetings. */
export function meetConnector(
  { loginUrl, apiUrl, client }: MeetOptions,
  { clock, ...phone }: MeetDeps,
): Connector {
  const urls = loginUrl === null ? GOOGLE : { accounts: loginUrl, tokens: loginUrl };
  const api = new MeetApi(apiUrl ?? GOOGLE.api, clock);
  const oauth: ConnectsByOAuth = {
    ...googleOAuth(urls, client),
    onConnections: (tokens) => api.onConnections(tokens),
  };
  const calls = new PhoneMeetings(meetDirectory(api, clock), phone);
  return { platform: 'meet', provides: { oauth, calls }, start: async () => {}, close: async () => {} };
}
