import type { AccountDomain } from '../../accounts/account/account-domain.ts';
import { type AccountStatus, accountStatuses } from '../../accounts/account/account-status.ts';
import { deleteWholeAccount, type LeavingDomain } from '../../accounts/account/delete-account.ts';
import { exportAccount } from '../../accounts/account/export-account.ts';
import { goOn } from '../../base/now-or-later.ts';
import { clearedSessionCookie } from '../auth/cookies.ts';
import { cachedReplies, reply, replyStream } from '../http/answer/reply.ts';
import { type Route, resource } from '../http/routing/route.ts';
import { Account, DeleteAccountBody } from '../schema/account.ts';
import { Deleted } from '../schema/acknowledgements.ts';
import type { PublicUrl } from './call-wire.ts';
import { viewerOf } from './platforms.ts';
import { CLIENT_HEADERS, clientOf } from './sign-in.ts';

const account = resource('account', 'Account');
const session = resource('session', 'Account');
const config = resource('config', 'Account');

/** A self-hosted gateway does not bill anyone. */
const PLAN = 'self_hosted';
const FEATURES_NOTE =
  'Hosted speech (hosted_stt, hosted_tts) uses your own provider key (byok). Each kind is ready while a voice preset of it is enabled. Without it, exchange raw PCM on the call WebSocket.';

const FEATURES: Omit<Account['features'], 'hosted_stt' | 'hosted_tts'> = {
  transport: 'ready',
  audio_in: 'ready',
  audio_out: 'ready',
  text_chat: 'ready',
  typing_indicators: 'ready',
  files: 'ready',
};

/** `GET /api/account`: an overview of the account. */
export function accountRoutes(domain: AccountDomain): Route[] {
  const statusFor = accountStatuses(domain);
  const replyOf = cachedReplies(wireOf);
  return [
    account.get('/api/account', {
      operationId: 'getAccount',
      summary: 'Get the account: platforms, features, limits',
      description: 'Call this first. Agent keys see only the logins of their own agents.',
      responses: { 200: { description: 'The account', schema: Account } },
      handler: ({ principal }) => goOn(statusFor(viewerOf(principal)), replyOf),
    }),
  ];
}

function wireOf(account: AccountStatus): Account {
  const { platforms, hostedSpeech } = account;
  const states = platforms.map(({ platform, traits: { capabilities, files }, status: state }) => [
    platform,
    { status: state, capabilities: [...capabilities], files },
  ]);
  const identities = platforms.flatMap(({ platform, identity }) => (identity ? [[platform, identity]] : []));
  return {
    account_id: account.accountId,
    name: account.name,
    email: account.email,
    email_verified: account.isEmailVerified,
    plan: PLAN,
    features: {
      ...FEATURES,
      hosted_stt: hostedSpeech.includes('stt') ? 'ready' : 'byok',
      hosted_tts: hostedSpeech.includes('tts') ? 'ready' : 'byok',
    },
    features_note: FEATURES_NOTE,
    platforms: Object.fromEntries(states) as Account['platforms'],
    concurrent_calls: { active: account.liveCalls, limit: account.callLimit },
    identities: Object.fromEntries(identities) as Account['identities'],
    last_message_cursor: account.lastMessageCursor,
  };
}

/** `DELETE /api/account`, only for the account's owner. */
export function accountDeletionRoutes(domain: LeavingDomain, publicUrl: PublicUrl): Route[] {
  return [
    session.delete('/api/account', {
      operationId: 'deleteAccount',
      summary: 'Delete the account and all its data',
      description:
        'Ends its live calls. This cannot be undone. An account without email and password belongs to the operator, who deletes it in the database.',
      headers: CLIENT_HEADERS,
      body: DeleteAccountBody,
      responses: { 200: { description: 'Deleted', schema: Deleted } },
      fails: ['wrong_password', 'too_many_attempts'],
      handler: async (request) => {
        const { principal, body } = request;
        await deleteWholeAccount(domain, principal.accountId, body.password ?? null, clientOf(request));
        const headers = { 'Set-Cookie': clearedSessionCookie(publicUrl()) };
        return reply(200, { status: 'deleted' as const }, headers);
      },
    }),
  ];
}

/** `GET /api/export`: all data of the account. */
export function exportRoutes(domain: AccountDomain): Route[] {
  return [
    config.get('/api/export', {
      operationId: 'exportAccount',
      summary: 'Export all data of the account',
      description:
        'Streams one JSON document with a list of rows per table, including the audit log. Without secrets, even encrypted or hashed ones.',
      responses: { 200: { description: 'The document', contentType: 'application/json' } },
      handler: ({ principal }) =>
        replyStream(200, 'application/json', exportAccount(domain, principal), {
          headers: {
            'Content-Disposition': 'attachment; filename="account-export.json"',
            'Cache-Control': 'no-store',
          },
        }),
    }),
  ];
}
