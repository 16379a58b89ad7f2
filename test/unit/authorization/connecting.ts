import { approve } from '../../../src/authorization/approve.ts';
import { readAuthorizationRequest } from '../../../src/authorization/authorization-request.ts';
import { type ClientAnswer, tokenIssuer } from '../../../src/authorization/issue-tokens.ts';
import { registerClient } from '../../../src/authorization/register-client.ts';
import { asked, authorizationWorld, IP, REDIRECT, VERIFIER } from './test-domain.ts';

const ALL = { platforms: null } as const;

/** A client that a person can approve, and that can request tokens. */
export async function connecting() {
  const world = await authorizationWorld();
  const { domain, actor, agentId } = world;
  const register = async () => {
    const metadata = { redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none' };
    return (await registerClient(domain, metadata, IP)).client.clientId;
  };
  const clientId = await register();
  const request = await readAuthorizationRequest(domain, asked(clientId), IP);
  const issue = tokenIssuer(domain);
  const ask = (form: Record<string, string>) =>
    issue({ form: { client_id: clientId, ...form }, authorization: '' });
  const say = async (choice: Partial<Parameters<typeof approve>[3]> = {}) =>
    codeIn(await approve(domain, actor, request, { ...ALL, agentIds: [agentId], ...choice }));
  const redeem = (code: string, more: Record<string, string> = {}) =>
    ask({
      grant_type: 'authorization_code',
      code,
      redirect_uri: REDIRECT,
      code_verifier: VERIFIER,
      ...more,
    });
  const refresh = (token: string, more: Record<string, string> = {}) =>
    ask({ grant_type: 'refresh_token', refresh_token: token, ...more });
  return { ...world, clientId, request, say, redeem, refresh, ask, register };
}

export const codeIn = (location: string): string => new URL(location).searchParams.get('code') ?? '';
export const accessIn = ({ body }: ClientAnswer): string => `${body.access_token}`;
export const refreshIn = ({ body }: ClientAnswer): string => `${body.refresh_token}`;
