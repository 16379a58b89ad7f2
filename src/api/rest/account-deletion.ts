import { deleteWholeAccount, type LeavingDomain } from '../../accounts/account/delete-account.ts';
import { clearedSessionCookie } from '../auth/session-cookie.ts';
import { reply } from '../http/answer/reply.ts';
import { type Route, route } from '../http/routing/route.ts';
import { DeleteAccountBody } from '../schema/account.ts';
import { Deleted } from '../schema/deleted.ts';
import type { PublicUrl } from './call-wire.ts';
import { CLIENT_HEADERS, clientOf, TOO_MANY } from './sign-in.ts';

/** `DELETE /api/account`, only for the account's owner. */
export function accountDeletionRoutes(domain: LeavingDomain, publicUrl: PublicUrl): Route[] {
  return [
    route({
      method: 'delete',
      path: '/api/account',
      access: 'session',
      operationId: 'deleteAccount',
      summary: 'Delete the account and all its data',
      description:
        'Ends its live calls. This cannot be undone. An account without email and password belongs to the operator, who deletes it in the database.',
      tags: ['Account'],
      headers: CLIENT_HEADERS,
      body: DeleteAccountBody,
      responses: {
        200: { description: 'Deleted', schema: Deleted },
        400: 'Current password is wrong',
        429: TOO_MANY,
      },
      handler: async (request) => {
        const { principal, body } = request;
        await deleteWholeAccount(domain, principal.accountId, body.password ?? null, clientOf(request));
        const headers = { 'Set-Cookie': clearedSessionCookie(publicUrl()) };
        return reply(200, { status: 'deleted' as const }, headers);
      },
    }),
  ];
}
