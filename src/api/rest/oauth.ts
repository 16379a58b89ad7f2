import { unlinkIdentity } from '../../accounts/identities/identities.ts';
import {
  finishSignIn,
  SIGN_IN_DEADLINE_MS,
  type SignIns,
  startSignIn,
} from '../../accounts/identities/sign-ins.ts';
import type { Client, People } from '../../accounts/people/people.ts';
import { requireVerifiedAddress } from '../../accounts/people/verified-address.ts';
import { openSession } from '../../accounts/sessions/sessions.ts';
import { GatewayError } from '../../base/errors.ts';
import { listRows } from '../../store/database/rows.ts';
import {
  cookieNamed,
  externalSignInCookie,
  returnUrl,
  sessionCookie,
  sessionTokenOf,
} from '../auth/cookies.ts';
import type { Authenticate, Principal } from '../auth/principal.ts';
import { reply, replyEmpty } from '../http/answer/reply.ts';
import { type Route, resource } from '../http/routing/route.ts';
import { IDENTITY_LINKED, SIGNED_IN, signInFailed } from '../pages/notice.ts';
import { pageAnswer, pageReply, refusalPage } from '../pages/page.ts';
import {
  IdentityList,
  IdentityParams,
  OAuthCallbackQuery,
  OAuthParams,
  Unlinked,
} from '../schema/identities.ts';
import type { PublicUrl } from './call-wire.ts';
import { clientOf } from './sign-in.ts';

/** Dependencies of the routes for external sign-in. */
export interface OAuthContext {
  readonly signIns: SignIns;
  /** Without a trailing slash. */
  readonly publicUrl: () => string;
  /** The session in a request's cookies; null if not signed in. */
  readonly sessionOf: (cookies: string) => Principal | null;
  /** Opens a session and returns its `Set-Cookie` header. */
  readonly openSession: (accountId: string, client: Client) => Promise<string>;
}

/** The gateway's own context: an external sign-in opens the same kind of session as a password. */
export function oauthContext(signIns: SignIns, people: People, authenticate: Authenticate): OAuthContext {
  const { publicUrl } = people;
  return {
    signIns,
    publicUrl,
    sessionOf: (cookies) => {
      const principal = authenticate(sessionTokenOf(cookies));
      return principal?.kind === 'session' ? principal : null;
    },
    openSession: async (accountId, client) =>
      sessionCookie(await openSession(people, accountId, client), publicUrl()),
  };
}

const open = resource('public', 'Authentication');
const session = resource('session', 'Authentication');
const PATH = '/auth/oauth';

/**
 * Stores the state in the browser that started a sign-in, so that a callback URL sent to another browser has no effect
 * there.
 */
const STATE_COOKIE = 'svc_sign_in';

const SENT_ON = {
  description: 'Redirects to the identity provider',
  headers: { Location: 'The redirect URL' },
} as const;
const PROVIDER_FAILED = 'The identity provider did not answer as expected';
const PAGE_STATUSES = [400, 403, 409, 502] as const;

/** `Sec-Fetch-Site` values of the gateway's own links and of typed URLs. '': an old browser or no browser. */
export const OWN_SITES: ReadonlySet<string> = new Set(['same-origin', 'none', '']);

/** Routes for signing in with an external provider, and for the external identities of the account. */
export function oauthRoutes({ signIns, publicUrl, sessionOf, openSession }: OAuthContext): Route[] {
  return [
    open.get(`${PATH}/{provider}/start`, {
      operationId: 'startOAuth',
      refusesHead: true,
      summary: 'Sign in with an identity provider',
      description:
        'For browsers. If the browser is signed in, the identity is linked to its account instead.',
      headers: ['cookie', 'sec-fetch-site'],
      params: OAuthParams,
      responses: { 302: SENT_ON },
      fails: [
        'email_not_verified',
        'identity_provider_not_found',
        'too_many_attempts',
        'identity_provider_failed',
        { forbidden: 'The request came from another site' },
      ],
      handler: async (request) => {
        const { params } = request;
        signIns.limits.attempt(request.address, null);
        const session = sessionOf(request.header('cookie'));
        if (session !== null) {
          assertOwnWish(request.header('sec-fetch-site'));
          await requireVerifiedAddress(signIns.store.db, session.accountId);
        }
        const { url, state } = await startSignIn(signIns, params.provider, {
          accountId: session?.accountId ?? null,
          callbackUrl: callbackUrl(publicUrl, params.provider).href,
        });
        const headers = {
          Location: url,
          'Set-Cookie': externalSignInCookie(
            `${STATE_COOKIE}=${state}`,
            SIGN_IN_DEADLINE_MS / 1000,
            publicUrl(),
          ),
        };
        return replyEmpty(302, { ...headers, 'Cache-Control': 'no-store' });
      },
    }),
    open.get(`${PATH}/{provider}/callback`, {
      operationId: 'finishOAuth',
      refusesHead: true,
      summary: 'Finish signing in with an identity provider',
      description: 'Works once, within 10 minutes, in the browser that started the sign-in.',
      headers: ['cookie', 'user-agent'],
      params: OAuthParams,
      query: OAuthCallbackQuery,
      responses: {
        200: {
          ...pageAnswer('The browser is signed in, or the identity linked'),
          headers: { 'Set-Cookie': 'The session: `svc_session`' },
        },
        302: {
          description: 'The browser is signed in and returns to the page that required it',
          headers: { Location: 'The redirect URL', 'Set-Cookie': 'The session: `svc_session`' },
        },
        400: pageAnswer('The sign-in has expired, was started in another browser, or was cancelled'),
        403: pageAnswer(
          "No account has this identity and sign-up is not open, or the account's email address is not verified",
        ),
        409: pageAnswer('The identity or its address belongs to another account'),
        502: pageAnswer(PROVIDER_FAILED),
      },
      fails: ['identity_provider_not_found', 'too_many_attempts'],
      handler: async (request) => {
        const { params, query } = request;
        signIns.limits.attempt(request.address, null);
        const client = clientOf(request);
        const cookies = request.header('cookie');
        try {
          const { accountId, isLink } = await finishSignIn(signIns, params.provider, {
            state: query.state,
            error: query.error,
            callback: withQuery(callbackUrl(publicUrl, params.provider), query),
            keptState: cookieNamed(STATE_COOKIE, cookies),
            session: sessionOf(cookies),
          });
          if (isLink) return pageReply(200, IDENTITY_LINKED);
          const session = { 'Set-Cookie': await openSession(accountId, client) };
          const Location = returnUrl(cookies, publicUrl());
          return Location === null
            ? pageReply(200, SIGNED_IN, session)
            : replyEmpty(302, { ...session, Location, 'Cache-Control': 'no-store' });
        } catch (error) {
          return refusalPage(error, PAGE_STATUSES, signInFailed);
        }
      },
    }),
    session.get('/auth/identities', {
      operationId: 'listIdentities',
      summary: 'List the linked identities',
      responses: { 200: { description: 'The identities, oldest first', schema: IdentityList } },
      handler: async ({ principal }) => {
        const identities = await listRows(
          signIns.store.db,
          'identities',
          { accountId: principal.accountId },
          ['createdAt', 'id'],
        );
        return reply(200, {
          identities: identities.map(({ id, provider, email, createdAt, lastUsedAt }) => ({
            id,
            provider,
            email,
            created_at: createdAt,
            last_used_at: lastUsedAt,
          })),
        });
      },
    }),
    session.delete('/auth/identities/{identity_id}', {
      operationId: 'unlinkIdentity',
      summary: 'Unlink an identity',
      description:
        'Refused for the last identity of an account without a password, because it would become inaccessible.',
      params: IdentityParams,
      responses: { 200: { description: 'The identity is unlinked', schema: Unlinked } },
      fails: ['identity_not_found', 'last_sign_in'],
      handler: async ({ principal, params }) => {
        await unlinkIdentity(signIns.store.db, principal, params.identity_id);
        return reply(200, { status: 'unlinked' as const });
      },
    }),
  ];
}

/**
 * Refuses linking that another site has started. Otherwise that site could sign the browser in at the provider as
 * someone else and link that identity to the user's account.
 */
function assertOwnWish(fetchSite: string): void {
  if (OWN_SITES.has(fetchSite)) return;
  throw new GatewayError('forbidden', 'Start linking an identity from a page of the gateway');
}

function callbackUrl(publicUrl: PublicUrl, provider: string): URL {
  return new URL(`${publicUrl()}${PATH}/${encodeURIComponent(provider)}/callback`);
}

/**
 * Adds the query to the callback URL. Uses the public URL, because behind a proxy it is the only one that the provider
 * knows.
 */
function withQuery(url: URL, query: Readonly<Record<string, string>>): URL {
  for (const [name, value] of Object.entries(query)) if (value !== '') url.searchParams.set(name, value);
  return url;
}
