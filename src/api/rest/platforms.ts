import * as z from 'zod';
import type { AccountDomain } from '../../accounts/account/account-domain.ts';
import { type PlatformStatus, platformStatuses, type Viewer } from '../../accounts/logins/platform-status.ts';
import { GatewayError } from '../../base/errors.ts';
import { PLATFORMS, type Platform } from '../../base/platform.ts';
import type { Principal } from '../auth/principal.ts';
import { reply } from '../http/answer/reply.ts';
import { type Route, resource } from '../http/routing/route.ts';
import { PlatformState } from '../schema/account.ts';
import { AccountType } from '../schema/agent.ts';
import { named } from '../schema/fields.ts';

const Login = named('PlatformLogin', {
  type: AccountType,
  id: z.string(),
  label: z.string(),
  status: z.string(),
});

const ListedPlatform = PlatformState.extend({
  platform: z.enum(PLATFORMS),
  setup: z.string().describe('How to connect the platform'),
  ways: z
    .array(
      z.object({
        name: z.string().describe('How an agent gets into a call'),
        needs: z.string().describe('What you must have for it'),
      }),
    )
    .describe('The ways into calls that this gateway has, the best one first'),
  accounts: z.array(Login).describe('Logins on the platform; agent keys see only those of their own agents'),
}).meta({ id: 'ListedPlatform' });

export const PlatformList = named('PlatformList', { platforms: z.array(ListedPlatform) });

const account = resource('account', 'Platforms');

/** `GET /api/platforms`: every platform with the account's logins. */
export function platformRoutes(domain: AccountDomain): Route[] {
  return [
    account.get('/api/platforms', {
      operationId: 'listPlatforms',
      summary: "List the platforms and the account's logins",
      responses: { 200: { description: 'All platforms', schema: PlatformList } },
      handler: async ({ principal }) => {
        const statuses = await platformStatuses(domain, viewerOf(principal));
        const { connectors } = domain.calls;
        return reply(200, {
          platforms: statuses.map((status) => ({
            ...wireOf(status),
            ways: [...(connectors.get(status.platform)?.provides.calls?.ways ?? [])],
          })),
        });
      },
    }),
  ];
}

/** Agent keys and MCP clients see only what their agents own; sessions and settings keys see the whole account. */
export function viewerOf({ kind, accountId, agentIds, platforms }: Principal): Viewer {
  const isBearer = kind === 'agent' || kind === 'oauth';
  return { accountId, agentIds: isBearer ? agentIds : null, platforms };
}

function wireOf({ platform, traits, status, logins }: PlatformStatus) {
  const { capabilities, files, setup } = traits;
  const accounts = logins.map(({ type, id, label, status: state }) => ({ type, id, label, status: state }));
  return { platform, status, capabilities: [...capabilities], files, setup, accounts };
}

/** The platform named in a path. Throws `not_found` for an unknown one. */
export function platformNamed(name: string): Platform {
  const platform = PLATFORMS.find((each) => each === name);
  if (platform === undefined) throw new GatewayError('not_found');
  return platform;
}
