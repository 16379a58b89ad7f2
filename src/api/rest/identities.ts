import { unlinkIdentity } from '../../accounts/identities/identities.ts';
import type { SignIns } from '../../accounts/identities/sign-ins.ts';
import { listIdentities } from '../../store/people/identities.ts';
import { reply } from '../http/answer/reply.ts';
import { type Route, resource } from '../http/routing/route.ts';
import { IdentityList, IdentityParams, Unlinked } from '../schema/identities.ts';

const session = resource('session', 'Authentication');

/** Routes for the external identities with which a user signs in. */
export function identityRoutes({ store }: SignIns): Route[] {
  return [
    session.get('/auth/identities', {
      operationId: 'listIdentities',
      summary: 'List the linked identities',
      responses: { 200: { description: 'The identities, oldest first', schema: IdentityList } },
      handler: async ({ principal }) => {
        const identities = await listIdentities(store.db, principal.accountId);
        return reply(200, {
          identities: identities.map(({ id, provider, email, createdAt, lastUsedAt }) => ({
            id,
            provider,
            email,
            created_at: createdAt,
            last_used_at: lastUsedAt,
          })),
        });
      },
    }),
    session.delete('/auth/identities/{identity_id}', {
      operationId: 'unlinkIdentity',
      summary: 'Unlink an identity',
      description:
        'Refused for the last identity of an account without a password, because it would become inaccessible.',
      params: IdentityParams,
      responses: { 200: { description: 'The identity is unlinked', schema: Unlinked } },
      fails: ['identity_not_found', 'last_sign_in'],
      handler: async ({ principal, params }) => {
        await unlinkIdentity(store.db, principal, params.identity_id);
        return reply(200, { status: 'unlinked' as const });
      },
    }),
  ];
}
