import type { z } from 'zod';
import { revokeAuthorization } from '../../authorization/approve.ts';
import type { AuthorizationDomain } from '../../authorization/authorization-domain.ts';
import { namesOf } from '../../authorization/scope-names.ts';
import { type ListedAuthorization, listAuthorizations } from '../../store/keys/mcp-authorizations.ts';
import { reply } from '../http/answer/reply.ts';
import { type Route, resource } from '../http/routing/route.ts';
import { Deleted, deleted } from '../schema/acknowledgements.ts';
import { ClientParams, type McpAuthorization, McpAuthorizationList } from '../schema/authorization.ts';

const config = resource('config', 'MCP authorization');

/** Routes with which an account's owner manages the authorized MCP clients. */
export function mcpAuthorizationRoutes(domain: AuthorizationDomain): Route[] {
  return [
    config.get('/api/mcp-authorizations', {
      operationId: 'listMcpAuthorizations',
      summary: 'List the authorized MCP clients',
      responses: {
        200: { description: 'One per client, oldest first', schema: McpAuthorizationList },
      },
      handler: async ({ principal }) => {
        const all = await listAuthorizations(domain.store.db, principal.accountId);
        return reply(200, { authorizations: all.map(authorizationWire) });
      },
    }),
    config.delete('/api/mcp-authorizations/{client_id}', {
      operationId: 'revokeMcpAuthorization',
      summary: 'Revoke the authorization of an MCP client',
      description:
        'Revokes all its tokens at once, ends its sessions and WebSockets, and removes it from its agents. The client has to ask for authorization again.',
      params: ClientParams,
      responses: { 200: { description: 'Deleted', schema: Deleted } },
      fails: ['authorization_not_found'],
      handler: ({ principal, params }) => deleted(revokeAuthorization(domain, principal, params.client_id)),
    }),
  ];
}

function authorizationWire(authorization: ListedAuthorization): z.output<typeof McpAuthorization> {
  return {
    client_id: authorization.clientId,
    client_name: authorization.clientName,
    registered_at: authorization.registeredAt,
    authorized_at: authorization.createdAt,
    last_used_at: authorization.lastUsedAt,
    redirect_uri: authorization.redirectUri,
    platforms: namesOf(authorization.platforms),
    all_platforms: authorization.platforms === null,
    agent_ids: [...authorization.agentIds],
  };
}
