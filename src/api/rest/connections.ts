import * as z from 'zod';
import type { AccountDomain } from '../../accounts/account/account-domain.ts';
import {
  adminConsentName,
  finishAdminConsent,
  startAdminConsent,
} from '../../accounts/connections/admin-consent.ts';
import type { Starter } from '../../accounts/connections/connection-state.ts';
import { disconnect } from '../../accounts/connections/disconnect.ts';
import { connectQuestion, finishConnecting } from '../../accounts/connections/finish-connecting.ts';
import { startConnecting, type WantedConnection } from '../../accounts/connections/start-connecting.ts';
import { pairingPlatform, startPairing } from '../../accounts/connections/start-pairing.ts';
import { GatewayError } from '../../base/errors.ts';
import { PLATFORM_TRAITS, type Platform } from '../../base/platform.ts';
import type { OAuthPaths } from '../../connectors/contract/oauth.ts';
import type { Principal } from '../auth/principal.ts';
import { type BytesReply, type EmptyReply, reply, replyEmpty } from '../http/answer/reply.ts';
import { ValidationError } from '../http/request/validation.ts';
import { type Route, type RouteRequest, resource } from '../http/routing/route.ts';
import { APPROVED, approvalFailed, CONNECTED, confirmConnection, connectFailed } from '../pages/notice.ts';
import { pageAnswer, pageReply, refusalPage } from '../pages/page.ts';
import { Deleted } from '../schema/acknowledgements.ts';
import {
  adminConsentStartRequest,
  ConnectCallbackQuery,
  ConnectionParams,
  ConnectParams,
  ConsentCallbackQuery,
  OAuthStarted,
  OAuthStartRequest,
} from '../schema/connection.ts';
import { type OAuthContext, OWN_SITES } from './oauth.ts';

const config = resource('config', 'Platforms');
const open = resource('public', 'Platforms');
const PAGE_STATUSES = [400, 403, 409, 502] as const;
const CONSENT_STATUSES = [400, 403, 404] as const;
/** Of an answer whose URL holds a secret. */
export const NO_STORE = { 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' } as const;
const NOT_SET_UP = 'The operator has not set up connections to this platform';

/** How to tell who is at a browser, and how often it may try. */
export type Visitors = Pick<OAuthContext, 'signIns' | 'publicUrl' | 'sessionOf'>;

/** Routes for connecting the account to platforms by OAuth, and for disconnecting it. */
export function connectionRoutes(domain: AccountDomain, visitors: Visitors): Route[] {
  const { connections, calls } = domain;
  const connectors = [...calls.connectors.values()];
  return [
    ...connectingRoutes(domain, visitors, ANY_PLATFORM),
    ...connectors.flatMap(({ platform, provides: { oauth } }) => [
      ...(oauth?.paths ? connectingRoutes(domain, visitors, ownWay(platform, oauth.paths)) : []),
      ...(oauth?.adminConsent ? consentRoutes(domain, visitors, platform) : []),
    ]),
    config.delete('/api/connections/{connection_id}', {
      operationId: 'deleteConnection',
      summary: 'Disconnect a platform',
      description:
        'Deletes the login, removes it from all agents, ends its live calls, and asks the platform to withdraw the access.',
      params: ConnectionParams,
      responses: { 200: { description: 'Deleted', schema: Deleted } },
      fails: ['connection_not_found'],
      handler: async ({ principal, params }) => {
        await disconnect(connections, principal, params.connection_id);
        return reply(200, { status: 'deleted' as const });
      },
    }),
  ];
}

/** The endpoints of one way to connect: those of all platforms, or a platform's own beside them. */
interface Way {
  readonly start: `/${string}`;
  readonly callback: `/${string}`;
  /** In operation ids, after a verb. */
  readonly noun: string;
  /** What is connected to, in words. */
  readonly title: string;
  readonly params: z.ZodObject;
  readonly platformOf: (params: Readonly<Record<string, unknown>>) => string;
}

const ANY_PLATFORM: Way = {
  start: '/api/oauth/start/{provider}',
  callback: '/api/oauth/{provider}/callback',
  noun: 'Connecting',
  title: 'a platform',
  params: ConnectParams,
  platformOf: ({ provider }) => String(provider),
};

function ownWay(platform: Platform, { start, callback }: OAuthPaths): Way {
  const { title } = PLATFORM_TRAITS[platform];
  return {
    start: `/api/${platform}/${start}`,
    callback: `/api/${platform}/${callback}`,
    noun: `${title.replaceAll(' ', '')}Connection`,
    title,
    params: z.object({}),
    platformOf: () => platform,
  };
}

function connectingRoutes(domain: AccountDomain, visitors: Visitors, way: Way): Route[] {
  const { noun, params, platformOf } = way;
  const { signIns } = visitors;
  /** What the platform's redirect and the page that asks first have in common. */
  const common = {
    params,
    headers: ['cookie', 'sec-fetch-site'],
    query: ConnectCallbackQuery,
    responses: {
      200: pageAnswer('Connected, or a page that asks first'),
      302: { description: 'Connected: returns to `return_to`', headers: { Location: 'The redirect URL' } },
      400: pageAnswer('The attempt has expired, was used or was started elsewhere, or the platform refused'),
      403: pageAnswer('Email address is not verified'),
      409: pageAnswer(
        'The account of the platform is connected elsewhere, is another one than before, or one too many',
      ),
      502: pageAnswer('The platform did not answer as expected'),
    },
    fails: ['oauth_not_offered', 'too_many_attempts'],
  } as const;
  return [
    config.post(way.start, {
      operationId: `start${noun}`,
      summary: `Connect the account to ${way.title} by OAuth`,
      description:
        'Returns the URL at which you sign in to the platform. Started by a session, it must be opened in the same browser. Started with a settings key, it may be opened in any browser, which asks before it connects. For a platform whose servers belong to people, it is the page on which the server asks you.',
      params,
      body: OAuthStartRequest.nullish(),
      idempotency: 'none',
      responses: { 200: { description: 'The URL', schema: OAuthStarted } },
      fails: [
        { platform_not_configured: NOT_SET_UP },
        'email_not_verified',
        'oauth_not_offered',
        'connection_not_found',
        'server_invalid',
        'server_blocked',
        'connection_differs',
        'too_many_attempts',
      ],
      handler: async ({ principal, params, body, address }) => {
        signIns.limits.attempt(address, null);
        const url = await startAt(domain, starterOf(principal), {
          platform: platformOf(params),
          serverUrl: body?.server_url ?? null,
          connectionId: body?.connection_id ?? null,
          returnTo: body?.return_to ?? null,
        });
        return reply(200, { authorize_url: url });
      },
    }),
    open.get(way.callback, {
      ...common,
      operationId: `finish${noun}`,
      refusesHead: true,
      summary: 'Return from a platform',
      description:
        'Works once, within 10 minutes: in the session that started; or, if a settings key did, in a session of its account, or after a click in a browser without a session.',
      handler: (request) =>
        settle(domain, visitors, request, { platform: platformOf(request.params), isConfirmed: false }),
    }),
    open.post(way.callback, {
      ...common,
      operationId: `confirm${noun}`,
      summary: 'Confirm a connection that a settings key started',
      description: 'Submitted by the page that GET shows.',
      body: 'raw',
      handler: async (request) => {
        if (!OWN_SITES.has(request.header('sec-fetch-site'))) throw new GatewayError('cross_site');
        const platform = platformOf(request.params);
        return await settle(domain, visitors, request, { platform, isConfirmed: true });
      },
    }),
  ];
}

interface Wanted extends WantedConnection {
  readonly serverUrl: string | null;
}

/** Starts in the way that the platform has: by OAuth, or by pairing with a server. */
async function startAt(
  { connections }: AccountDomain,
  starter: Starter,
  { serverUrl, ...wanted }: Wanted,
): Promise<string> {
  const offered = pairingPlatform(connections.connectors, wanted.platform);
  if (offered === null) {
    if (serverUrl !== null)
      throw serverUrlFault('Input should be left out: the platform has one server', 'value_error');
    return await startConnecting(connections, starter, wanted);
  }
  if (serverUrl === null) throw serverUrlFault('Field required', 'missing');
  return await startPairing(connections, starter, offered, { ...wanted, serverUrl });
}

function serverUrlFault(msg: string, type: string): ValidationError {
  return new ValidationError([{ loc: ['body', 'server_url'], msg, type }]);
}

type CallbackRequest = RouteRequest<null, unknown, z.output<typeof ConnectCallbackQuery>>;
type CallbackReply = BytesReply<200 | (typeof PAGE_STATUSES)[number]> | EmptyReply<302>;

/** Handles the return of a browser from a platform, and with `isConfirmed` the click on the page that asks. */
async function settle(
  { connections }: AccountDomain,
  { signIns, publicUrl, sessionOf }: Visitors,
  request: CallbackRequest,
  { platform, isConfirmed }: { readonly platform: string; readonly isConfirmed: boolean },
): Promise<CallbackReply> {
  signIns.limits.attempt(request.address, null);
  const { code, state, error, error_description: errorDescription } = request.query;
  const session = sessionOf(request.header('cookie'));
  try {
    const brought = { code, state, error, errorDescription, session, isConfirmed };
    const question = isConfirmed ? null : await connectQuestion(connections, platform, brought);
    if (question !== null) return pageReply(200, confirmConnection(question.platform, question.owner));
    const { returnTo } = await finishConnecting(connections, platform, brought);
    if (returnTo === null) return pageReply(200, CONNECTED);
    return replyEmpty(302, { ...NO_STORE, Location: `${publicUrl()}${returnTo}` });
  } catch (refusal) {
    return refusalPage(refusal, PAGE_STATUSES, connectFailed);
  }
}

/** Who starts something at a platform. Other kinds of credentials have no access. */
export function starterOf({ accountId, kind, credentialId }: Principal): Starter {
  return { accountId, kind: kind === 'session' ? 'session' : 'settings', credentialId };
}

/** The consent of administrators, at a platform that has it. */
function consentRoutes(
  { connections }: AccountDomain,
  { signIns, sessionOf }: Visitors,
  platform: Platform,
): Route[] {
  const { title } = PLATFORM_TRAITS[platform];
  const path = `/api/oauth/${adminConsentName(platform)}` as const;
  const noun = platform.charAt(0).toUpperCase() + platform.slice(1);
  return [
    config.post(`${path}/start`, {
      operationId: `start${noun}AdminConsent`,
      summary: `Ask an administrator to approve the gateway at ${title}`,
      description:
        'Returns the URL at which an administrator approves the gateway for the organization of one connection. Started by a session, it must be opened in the same browser; started with a settings key, in any browser.',
      body: adminConsentStartRequest(noun),
      idempotency: 'none',
      responses: { 200: { description: 'The URL', schema: OAuthStarted } },
      fails: [
        { platform_not_configured: NOT_SET_UP },
        'email_not_verified',
        'connection_not_found',
        'too_many_attempts',
      ],
      handler: async ({ principal, body, address }) => {
        signIns.limits.attempt(address, null);
        const url = await startAdminConsent(connections, starterOf(principal), platform, body.connection_id);
        return reply(200, { authorize_url: url });
      },
    }),
    open.get(`${path}/callback`, {
      operationId: `finish${noun}AdminConsent`,
      refusesHead: true,
      summary: `Return from an administrator's approval at ${title}`,
      description:
        'Works once, within 10 minutes, in the session that started it, if one did. Marks only the connection that it was started for.',
      headers: ['cookie'],
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
          return refusalPage(refusal, CONSENT_STATUSES, approvalFailed);
        }
      },
    }),
  ];
}
