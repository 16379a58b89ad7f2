import * as z from 'zod';
import { named } from './fields.ts';

export const OAuthParams = z.object({
  provider: z.string().describe("Name of the identity provider in the gateway's settings"),
});

/** Query parameters of a provider's redirect back to the gateway. */
export const OAuthCallbackQuery = z.object({
  code: z.string().default(''),
  state: z.string().default(''),
  error: z.string().default(''),
  iss: z.string().default('').describe('Issuer of the answer (RFC 9207)'),
});

export const IdentityParams = z.object({ identity_id: z.string() });

const Identity = named('Identity', {
  id: z.string(),
  provider: z.string(),
  email: z.string().nullable().describe('As reported by the provider at the last sign-in'),
  created_at: z.string(),
  last_used_at: z.string(),
});

export const IdentityList = named('IdentityList', { identities: z.array(Identity) });

/** Acknowledges that an identity can no longer sign in to the account. */
export const Unlinked = named('Unlinked', { status: z.literal('unlinked') });
