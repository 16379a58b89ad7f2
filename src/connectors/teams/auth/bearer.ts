import * as z from 'zod';
import { platformJson } from '../../../base/platform-json.ts';

const BEARER = /^Bearer ([\w-]{10,2000}\.[\w-]{10,6000}\.[\w-]{300,1400})$/;
/** Clocks may differ by this much (https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-authentication). */
export const CLOCK_SKEW_S = 300;
export const ALGORITHM = 'RS256';

const Header = z.object({ alg: z.literal(ALGORITHM), kid: z.string().min(1).max(200) });
const Claims = z.object({
  iss: z.string(),
  aud: z.string(),
  exp: z.number(),
  nbf: z.number(),
  serviceurl: z.string().min(1).max(1_000),
});

/** A token that may be from the Bot Connector: its signature has not been verified. */
export interface UnverifiedToken {
  readonly token: string;
  readonly kid: string;
}

export interface TokenExpectation {
  readonly issuer: string;
  /** The bot's application id. */
  readonly audience: string;
  readonly nowMs: number;
}

/** Returns the token of an Authorization header; null when nobody's signature could make it valid. */
export function readBearer(
  header: string,
  { issuer, audience, nowMs }: TokenExpectation,
): UnverifiedToken | null {
  const [, token] = BEARER.exec(header) ?? [];
  if (token === undefined) return null;
  const [head = '', payload = ''] = token.split('.');
  const { data: parsed } = Header.safeParse(decoded(head));
  const { data: claims } = Claims.safeParse(decoded(payload));
  if (!parsed || !claims || claims.iss !== issuer || claims.aud !== audience) return null;
  const nowS = nowMs / 1_000;
  const isCurrent = claims.exp > nowS - CLOCK_SKEW_S && claims.nbf < nowS + CLOCK_SKEW_S;
  return isCurrent ? { token, kid: parsed.kid } : null;
}

function decoded(part: string): unknown {
  return platformJson(Buffer.from(part, 'base64url'));
}
