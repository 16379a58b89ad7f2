import type * as z from 'zod';
import { GatewayError } from '../../base/errors.ts';
import { platformJson } from '../../base/platform-json.ts';
import type { FreshTokens } from '../contract/oauth.ts';

/** An ID token longer than this is not read. */
const MAX_LENGTH = 32_768;

/**
 * Returns the claims of the ID token that came with fresh tokens. Its signature is not checked, because the token came
 * from the token endpoint itself (OpenID Connect Core, 3.1.3.7). Throws GatewayError `platform_failed`: there is no ID
 * token, or not with these claims, or it is for another client.
 */
export function idTokenClaims<Schema extends z.ZodType<{ aud: string }>>(
  { answer }: Pick<FreshTokens, 'answer'>,
  clientId: string,
  schema: Schema,
): z.output<Schema> {
  const { id_token: token } = answer;
  if (typeof token !== 'string' || token.length > MAX_LENGTH)
    throw new GatewayError('platform_failed', 'The platform sent no ID token');
  const payload = token.split('.')[1] ?? '';
  const claims = schema.safeParse(platformJson(Buffer.from(payload, 'base64url')));
  if (!claims.success) throw new GatewayError('platform_failed', "The platform's ID token cannot be read");
  if (claims.data.aud !== clientId)
    throw new GatewayError('platform_failed', "The platform's ID token is for another application");
  return claims.data;
}
