import { hashToken } from '../base/tokens.ts';
import { deleteRows } from '../store/database/rows.ts';
import { findToken } from '../store/keys/oauth-grants.ts';
import type { AuthorizationDomain } from './authorization-domain.ts';
import type { ClientAnswer, ClientRequest } from './issue-tokens.ts';
import { refusal } from './issue-tokens.ts';
import { clientWith } from './token-model.ts';

const DONE: ClientAnswer = { status: 200, body: {}, headers: {} };

/**
 * Revokes a token (RFC 7009) and with it the whole grant, including its other tokens. An unknown token, or one of
 * another client, is answered with 200 as well.
 */
export async function revokeToken(
  domain: AuthorizationDomain,
  { form, authorization }: ClientRequest,
): Promise<ClientAnswer> {
  const { db } = domain.store;
  const { clientId, secret } = basicCredentials(authorization) ?? {
    clientId: form.client_id ?? '',
    secret: form.client_secret ?? null,
  };
  const client = await clientWith(db, clientId, secret);
  if (!client) return refusal('invalid_client', 'Unknown client, or wrong client secret', 401);
  if (!form.token) return refusal('invalid_request', 'token is missing');
  const found = await findToken(db, hashToken(form.token));
  if (found?.grant.clientId !== clientId) return DONE;
  await deleteRows(db, 'oauthGrants', { id: found.grant.id });
  await domain.grants.refresh(found.grant.accountId);
  return DONE;
}

/** Returns the credentials of a Basic `Authorization` header; null when it has none. */
function basicCredentials(header: string): { clientId: string; secret: string } | null {
  const [, encoded] = /^basic +([A-Za-z0-9+/=]+)$/i.exec(header) ?? [];
  if (encoded === undefined) return null;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon < 0 ? null : { clientId: text.slice(0, colon), secret: text.slice(colon + 1) };
}
