import type { AccountDomain } from '../../accounts/account/account-domain.ts';
import { exportAccount } from '../../accounts/account/export-account.ts';
import { replyStream } from '../http/answer/reply.ts';
import { type Route, route } from '../http/routing/route.ts';

/** `GET /api/export`: all data of the account. */
export function exportRoutes(domain: AccountDomain): Route[] {
  return [
    route({
      method: 'get',
      path: '/api/export',
      access: 'config',
      operationId: 'exportAccount',
      summary: 'Export all data of the account',
      description:
        'Streams one JSON document with a list of rows per table, including the audit log. Without secrets, even encrypted or hashed ones.',
      tags: ['Account'],
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
