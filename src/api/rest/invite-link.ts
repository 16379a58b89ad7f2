import * as z from 'zod';
import type { AccountDomain } from '../../accounts/account/account-domain.ts';
import { makeInviteLink } from '../../accounts/account/invite-link.ts';
import { INVITE_URL } from '../../base/platform.ts';
import { reply } from '../http/answer/reply.ts';
import { type Route, resource } from '../http/routing/route.ts';

const config = resource('config', 'Platforms');

const InviteLink = z
  .object({
    invite_token: z.string().describe('Shown only in this answer'),
    expires_at: z.string().describe('15 minutes from now'),
    [INVITE_URL.field]: z
      .string()
      .nullable()
      .describe(
        'Opens a chat with the WhatsApp number and a prepared message that contains the token. Null if the gateway has no number or does not know it yet',
      ),
  })
  .meta({ id: 'InviteLink' });

/**
 * `POST /api/invite-link`: an invite token that assigns a contact on WhatsApp, Telegram or Discord to the account. `inviteUrl`
 * returns the link that carries the token, or null if there is none.
 */
export function inviteLinkRoutes(
  domain: AccountDomain,
  inviteUrl: (token: string) => string | null,
): Route[] {
  return [
    config.post('/api/invite-link', {
      operationId: 'makeInviteLink',
      summary: 'Create an invite token for WhatsApp, Telegram or Discord',
      description: 'Valid once, for 15 minutes. It replaces the previous one.',
      responses: { 200: { description: 'The token', schema: InviteLink } },
      fails: ['email_not_verified', 'cap_reached'],
      handler: async ({ principal }) => {
        const { token, expiresAt } = await makeInviteLink(domain, principal);
        return reply(200, {
          invite_token: token,
          expires_at: expiresAt,
          [INVITE_URL.field]: inviteUrl(token),
        });
      },
    }),
  ];
}
