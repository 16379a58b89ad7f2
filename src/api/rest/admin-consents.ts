import * as z from 'zod';
import type { AccountDomain } from '../../accounts/account/account-domain.ts';
import {
  adminConsentName,
  finishAdminConsent,
  startAdminConsent,
} from '../../accounts/connections/admin-consent.ts';
import { PLATFORM_TRAITS, type Platform } from '../../base/platform.ts';
import { reply } from '../http/answer/reply.ts';
import { type Route, resource } from '../http/routing/route.ts';
import { APPROVED, approvalFailed } from '../pages/notice.ts';
import { pageAnswer, pageReply, refusalPage } from '../pages/page.ts';
import { adminConsentStartRequest, ConsentCallbackQuery, OAuthStarted } from '../schema/connection.ts';
import { starterOf, type Visitors } from './connections.ts';

const config = resource('config', 'Platforms');
const open = resource('public', 'Platforms');
const PAGE_STATUSES = [400, 403, 404] as const;

/** Routes for the consent of administrators, at each platform that has it. */
export function adminConsentRoutes(domain: AccountDomain, visitors: Visitors): Route[] {
  return [...domain.calls.connectors].flatMap(([platform, { provides }]) =>
    provides.oauth?.adminConsent === undefined
      ? []
      : [start(domain, visitors, platform), callback(domain, visitors, platform)],
  );
}

function pathOf(platform: Platform) {
  return `/api/oauth/${adminConsentName(platform)}` as const;
}

function capitalized(platform: Platform): string {
  return platform.charAt(0).toUpperCase() + platform.slice(1);
}

function start({ connections }: AccountDomain, { signIns }: Visitors, platform: Platform): Route {
  const { title } = PLATFORM_TRAITS[platform];
  return config.post(`${pathOf(platform)}/start`, {
    operationId: `start${capitalized(platform)}AdminConsent`,
    summary: `Ask an administrator to approve the gateway at ${title}`,
    description:
      'Returns the URL at which an administrator approves the gateway for the organization of one connection. Started by a session, it must be opened in the same browser; started with a settings key, in any browser.',
    body: adminConsentStartRequest(capitalized(platform)),
    idempotency: 'none',
    responses: { 200: { description: 'The URL', schema: OAuthStarted } },
    fails: ['platform_not_configured', 'email_not_verified', 'connection_not_found', 'too_many_attempts'],
    handler: async ({ principal, body, address }) => {
      signIns.limits.attempt(address, null);
      const url = await startAdminConsent(connections, starterOf(principal), platform, body.connection_id);
      return reply(200, { authorize_url: url });
    },
  });
}

function callback(
  { connections }: AccountDomain,
  { signIns, sessionOf }: Visitors,
  platform: Platform,
): Route {
  return open.get(`${pathOf(platform)}/callback`, {
    operationId: `finish${capitalized(platform)}AdminConsent`,
    refusesHead: true,
    summary: `Return from an administrator's approval at ${PLATFORM_TRAITS[platform].title}`,
    description:
      'Works once, within 10 minutes, in the session that started it, if one did. Marks only the connection that it was started for.',
    headers: ['cookie'],
    params: z.object({}),
    query: ConsentCallbackQuery,
    responses: {
      200: pageAnswer('Approved'),
      400: pageAnswer(
        'The attempt has expired, was used or was started elsewhere; or the administrator declined, or approved for another organization',
      ),
      403: pageAnswer('Email address is not verified'),
      404: pageAnswer('Connection not found'),
    },
    fails: ['too_many_attempts'],
    handler: async (request) => {
      signIns.limits.attempt(request.address, null);
      const { state, ...parameters } = request.query;
      const session = sessionOf(request.header('cookie'));
      try {
        await finishAdminConsent(connections, platform, { state, parameters, session });
        return pageReply(200, APPROVED);
      } catch (refusal) {
        return refusalPage(refusal, PAGE_STATUSES, approvalFailed);
      }
    },
  });
}
