import type { AccountDomain } from '../../accounts/account/account-domain.ts';
import { PLATFORM_TRAITS, type Platform } from '../../base/platform.ts';
import type { OAuthPaths } from '../../connectors/contract/oauth.ts';
import { type Route, route } from '../http/routing/route.ts';
import {
  begin,
  CALLBACK,
  CONFIRMATION,
  confirm,
  finish,
  RETURN,
  START,
  type Visitors,
} from './connections.ts';

/** The endpoints of platforms that have their own beside the generic ones of connections by OAuth. */
export function platformOAuthRoutes(domain: AccountDomain, visitors: Visitors): Route[] {
  return [...domain.calls.connectors.values()].flatMap(({ platform, provides }) => {
    const { paths } = provides.oauth ?? {};
    return paths === undefined ? [] : routesOf(domain, visitors, platform, paths);
  });
}

function routesOf(
  domain: AccountDomain,
  visitors: Visitors,
  platform: Platform,
  { start, callback }: OAuthPaths,
): Route[] {
  const { title } = PLATFORM_TRAITS[platform];
  const name = title.replaceAll(' ', '');
  const path = `/api/${platform}/${callback}` as const;
  return [
    route({
      ...START,
      method: 'post',
      path: `/api/${platform}/${start}`,
      operationId: `start${name}Connection`,
      summary: `Connect the account to ${title} by OAuth`,
      handler: async (request) => await begin(domain, visitors, request, platform),
    }),
    route({
      ...CALLBACK,
      ...RETURN,
      path,
      operationId: `finish${name}Connection`,
      handler: async (request) => await finish(domain, visitors, request, platform),
    }),
    route({
      ...CALLBACK,
      ...CONFIRMATION,
      path,
      operationId: `confirm${name}Connection`,
      handler: async (request) => await confirm(domain, visitors, request, platform),
    }),
  ];
}
