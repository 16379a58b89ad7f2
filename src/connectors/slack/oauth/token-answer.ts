import * as z from 'zod';
import { isPassing } from '../client.ts';

const Refused = z.object({ ok: z.literal(false), error: z.string().catch('no reason given') });

/** Slack's words for a refresh token that is over. */
const GRANT_OVER: ReadonlySet<string> = new Set([
  'invalid_refresh_token',
  'token_expired',
  'token_revoked',
  'account_inactive',
  'invalid_auth',
]);

/** Puts an answer of `oauth.v2.access` in the form of RFC 6749. What is granted has it already. */
export function standardAnswer(answer: unknown): unknown {
  const { data } = Refused.safeParse(answer);
  if (data === undefined) return answer;
  const { error } = data;
  if (isPassing(error)) return { error: 'temporarily_unavailable', error_description: error };
  return GRANT_OVER.has(error) ? { error: 'invalid_grant', error_description: error } : { error };
}
