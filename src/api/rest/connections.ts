import type { z } from 'zod';
import type { AccountDomain } from '../../accounts/account/account-domain.ts';
import type { Starter } from '../../accounts/connections/connection-state.ts';
import { disconnect } from '../../accounts/connections/disconnect.ts';
import { connectQuestion, finishConnecting } from '../../accounts/connections/finish-connecting.ts';
import { startConnecting } from '../../accounts/connections/start-connecting.ts';
import { GatewayError } from '../../base/errors.ts';
import type { Principal } from '../auth/principal.ts';
import { type BytesReply, type EmptyReply, type JsonReply, reply, replyEmpty } from '../http/answer/reply.ts';
import { type Route, type RouteRequest, resource, route } from '../http/routing/route.ts';
import { CONNECTED, confirmConnection, connectFailed } from '../pages/notice.ts';
import { pageAnswer, pageReply, refusalPage } from '../pages/page.ts';
import { Deleted } from '../schema/acknowledgements.ts';
import {
  ConnectCallbackQuery,
  ConnectionParams,
  ConnectParams,
  OAuthStarted,
  OAuthStartRequest,
} from '../schema/connection.ts';
import { type OAuthContext, OWN_SITES } from './oauth.ts';

const TAGS = ['Platforms'] as const;
const config = resource('config', 'Platforms');
const FAILED = 'The platform did not answer as expected';
const PAGE_STATUSES = [400, 403, 409, 502] as const;
const NO_STORE = { 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' } as const;

/** How to tell who is at a browser, and how often it may try. */
export type Visitors = Pick<OAuthContext, 'signIns' | 'publicUrl' | 'sessionOf'>;

/** Routes for connecting the account to platforms by OAuth, and for disconnecting it. */
export function connectionRoutes(domain: AccountDomain, visitors: Visitors): Route[] {
  const { connections } = domain;

  return [
    route({
      ...START,
      method: 'post',
      path: '/api/oauth/start/{provider}',
      operationId: 'startConnecting',
      summary: 'Connect the account to a platform by OAuth',
      params: ConnectParams,
      handler: async (request) => await begin(domain, visitors, request, request.params.provider),
    }),
    route({
      ...CALLBACK,
      ...RETURN,
      path: CALLBACK_PATH,
      params: ConnectParams,
      operationId: 'finishConnecting',
      handler: async (request) => await finish(domain, visitors, request, request.params.provider),
    }),
    route({
      ...CALLBACK,
      ...CONFIRMATION,
      path: CALLBACK_PATH,
      params: ConnectParams,
      operationId: 'confirmConnecting',
      handler: async (request) => await confirm(domain, visitors, request, request.params.provider),
    }),
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

/** What all endpoints that start connecting have in common. */
export const START = {
  access: 'config',
  description:
    'Returns the URL at which you sign in to the platform. Started by a session, it must be opened in the same browser. Started with a settings key, it may be opened in any browser, which asks before it connects.',
  tags: TAGS,
  body: OAuthStartRequest.nullish(),
  idempotency: 'none',
  responses: {
    200: { description: 'The URL', schema: OAuthStarted },
  },
  fails: [
    'platform_not_configured',
    'email_not_verified',
    'oauth_not_offered',
    'connection_not_found',
    'too_many_attempts',
  ],
} as const;

/** Handles a request to start connecting a platform. */
export async function begin(
  { connections }: AccountDomain,
  { signIns }: Visitors,
  { principal, body, address }: StartRequest,
  platform: string,
): Promise<JsonReply<200, z.output<typeof OAuthStarted>>> {
  signIns.limits.attempt(address, null);
  const url = await startConnecting(connections, starterOf(principal), {
    platform,
    connectionId: body?.connection_id ?? null,
    returnTo: body?.return_to ?? null,
  });
  return reply(200, { authorize_url: url });
}

/** Who starts something at a platform. Other kinds of credentials have no access. */
export function starterOf({ accountId, kind, credentialId }: Principal): Starter {
  return { accountId, kind: kind === 'session' ? 'session' : 'settings', credentialId };
}

/** What these and the endpoints of the page that asks have in common. */
export const CALLBACK = {
  access: 'public',
  tags: TAGS,
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
    502: pageAnswer(FAILED),
  },
  fails: ['oauth_not_offered', 'too_many_attempts'],
} as const;

/** What all endpoints to which platforms send browsers back have in common. */
export const RETURN = {
  method: 'get',
  refusesHead: true,
  summary: 'Return from a platform',
  description:
    'Works once, within 10 minutes: in the session that started; or, if a settings key did, in a session of its account, or after a click in a browser without a session.',
} as const;

export const CONFIRMATION = {
  method: 'post',
  summary: 'Confirm a connection that a settings key started',
  description: 'Submitted by the page that GET shows.',
  body: 'raw',
} as const;

const CALLBACK_PATH = '/api/oauth/{provider}/callback';

type StartRequest = RouteRequest<
  Principal,
  unknown,
  unknown,
  z.output<typeof OAuthStartRequest> | null | undefined
>;
type CallbackRequest = RouteRequest<null, unknown, z.output<typeof ConnectCallbackQuery>>;
type CallbackReply = BytesReply<200 | (typeof PAGE_STATUSES)[number]> | EmptyReply<302>;

/** Handles the return of a browser from a platform. */
export async function finish(
  domain: AccountDomain,
  visitors: Visitors,
  request: CallbackRequest,
  platform: string,
): Promise<CallbackReply> {
  return await settle(domain, visitors, request, { platform, isConfirmed: false });
}

/** Handles the click on the page that asks. */
export async function confirm(
  domain: AccountDomain,
  visitors: Visitors,
  request: CallbackRequest,
  platform: string,
): Promise<CallbackReply> {
  if (!OWN_SITES.has(request.header('sec-fetch-site'))) throw new GatewayError('cross_site');
  return await settle(domain, visitors, request, { platform, isConfirmed: true });
}

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
