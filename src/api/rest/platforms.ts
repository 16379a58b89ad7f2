import * as z from 'zod';
import type { AccountDomain } from '../../accounts/account/account-domain.ts';
import { disconnect } from '../../accounts/connections/disconnect.ts';
import { type PlatformStatus, platformStatuses, type Viewer } from '../../accounts/logins/platform-status.ts';
import { GatewayError } from '../../base/errors.ts';
import { PLATFORM_TRAITS, PLATFORMS, type Platform } from '../../base/platform.ts';
import type { Principal } from '../auth/principal.ts';
import { reply } from '../http/answer/reply.ts';
import { type Route, route } from '../http/routing/route.ts';
import { PlatformState } from '../schema/account.ts';
import { Deleted } from '../schema/acknowledgements.ts';
import { AccountType } from '../schema/agent.ts';

const Login = z
  .object({
    type: AccountType,
    id: z.string(),
    label: z.string(),
    status: z.string(),
  })
  .meta({ id: 'PlatformLogin' });

const ListedPlatform = PlatformState.extend({
  platform: z.enum(PLATFORMS),
  setup: z.string().describe('How to connect the platform'),
  accounts: z.array(Login).describe('Logins on the platform; agent keys see only those of their own agents'),
}).meta({ id: 'ListedPlatform' });

const PlatformList = z.object({ platforms: z.array(ListedPlatform) }).meta({ id: 'PlatformList' });

const ConnectionParams = z.object({
  connection_id: z.string().describe('Identifier of the connection'),
});

const TAGS = ['Platforms'] as const;

/** Routes for platforms and the account's connections to them. */
export function platformRoutes(domain: AccountDomain): Route[] {
  return [list(domain), removeConnection(domain)];
}

/** Agent keys and MCP clients see only what their agents own; sessions and settings keys see the whole account. */
export function viewerOf({ kind, accountId, agentIds, platforms }: Principal): Viewer {
  const isBearer = kind === 'agent' || kind === 'oauth';
  return { accountId, agentIds: isBearer ? agentIds : null, platforms };
}

function list(domain: AccountDomain): Route {
  return route({
    method: 'get',
    path: '/api/platforms',
    access: 'account',
    operationId: 'listPlatforms',
    summary: "List the platforms and the account's logins",
    tags: TAGS,
    responses: { 200: { description: 'All platforms', schema: PlatformList } },
    handler: async ({ principal }) =>
      reply(200, { platforms: (await platformStatuses(domain, viewerOf(principal))).map(wireOf) }),
  });
}

function wireOf({ platform, status, logins }: PlatformStatus) {
  const { capabilities, files, setup } = PLATFORM_TRAITS[platform];
  const accounts = logins.map(({ type, id, label, status: state }) => ({ type, id, label, status: state }));
  return { platform, status, capabilities: [...capabilities], files, setup, accounts };
}

function removeConnection(domain: AccountDomain): Route {
  return route({
    method: 'delete',
    path: '/api/connections/{connection_id}',
    access: 'config',
    operationId: 'deleteConnection',
    summary: 'Disconnect a platform',
    description: 'Deletes the login and removes it from all agents.',
    tags: TAGS,
    params: ConnectionParams,
    responses: { 200: { description: 'Deleted', schema: Deleted }, 404: 'Connection not found' },
    handler: async ({ principal, params }) => {
      await disconnect(domain.connections, principal, params.connection_id);
      return reply(200, { status: 'deleted' as const });
    },
  });
}

/** The platform named in a path. Throws `not_found` for an unknown one. */
export function platformNamed(name: string): Platform {
  const platform = PLATFORMS.find((each) => each === name);
  if (platform === undefined) throw new GatewayError('not_found');
  return platform;
}
