import type { z } from 'zod';
import type { AuthorizationDomain } from '../../authorization/authorization-domain.ts';
import { revokeAuthorization } from '../../authorization/authorizations.ts';
import { namesOf } from '../../authorization/scope-names.ts';
import { type ListedAuthorization, listAuthorizations } from '../../store/keys/mcp-authorizations.ts';
import { reply } from '../http/answer/reply.ts';
import { type Route, route } from '../http/routing/route.ts';
import { ClientParams, type McpAuthorization, McpAuthorizationList } from '../schema/authorization.ts';
import { Deleted } from '../schema/deleted.ts';

const TAGS = ['MCP authorization'] as const;

/** Routes with which an account's owner manages the authorized MCP clients. */
export function mcpAuthorizationRoutes(domain: AuthorizationDomain): Route[] {
  return [list(domain), revoke(domain)];
}

function list(domain: AuthorizationDomain): Route {
  return route({
    method: 'get',
    path: '/api/mcp-authorizations',
    access: 'config',
    operationId: 'listMcpAuthorizations',
    summary: 'List the MCP clients that may act for the account',
    tags: TAGS,
    responses: {
      200: { description: 'One for each client, the oldest first', schema: McpAuthorizationList },
    },
    handler: async ({ principal }) => {
      const all = await listAuthorizations(domain.store.db, principal.accountId);
      return reply(200, { authorizations: all.map(authorizationWire) });
    },
  });
}

function revoke(domain: AuthorizationDomain): Route {
  return route({
    method: 'delete',
    path: '/api/mcp-authorizations/{client_id}',
    access: 'config',
    operationId: 'revokeMcpAuthorization',
    summary: 'Let an MCP client do nothing more',
    description:
      'All its tokens are void at once, its sessions and WebSockets end, and it leaves its agents, which stay. It has to ask again.',
    tags: TAGS,
    params: ClientParams,
    responses: { 200: { description: 'Gone', schema: Deleted }, 404: 'MCP authorization not found' },
    handler: async ({ principal, params }) => {
      await revokeAuthorization(domain, principal, params.client_id);
      return reply(200, { status: 'deleted' as const });
    },
  });
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
