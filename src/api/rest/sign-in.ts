import type { Client, People } from '../../accounts/people/people.ts';
import { signUp } from '../../accounts/people/sign-up.ts';
import { closeSession, type OpenedSession, signIn } from '../../accounts/sessions/sessions.ts';
import {
  browserCookie,
  browserTokenOf,
  clearedSessionCookie,
  sessionCookie,
  sessionTokenOf,
} from '../auth/cookies.ts';
import { reply } from '../http/answer/reply.ts';
import { type Route, type RouteRequest, resource } from '../http/routing/route.ts';
import { Done } from '../schema/acknowledgements.ts';
import { LoginRequest, SignedIn, SignupRequest } from '../schema/auth.ts';

const open = resource('public', 'Authentication');
const session = resource('session', 'Authentication');
const MAX_USER_AGENT_LENGTH = 256;

/** Description of the cookies set by signing in, for the OpenAPI document. */
export const SESSION_COOKIES =
  '`svc_session`: the session. `svc_browser`: identifies this browser, so that wrong passwords sent by others do not lock it out';

/** Request headers needed by `clientOf`. */
export const CLIENT_HEADERS = ['cookie', 'user-agent'] as const;

/** Routes for signing up, in and out. */
export function signInRoutes(people: People): Route[] {
  return [
    open.post('/auth/signup', {
      operationId: 'signUp',
      summary: 'Create an account',
      description:
        'Sends an email with a link that verifies the address. The answer is the same if the address already has an account; the email then says so. Sign in with POST /auth/login.',
      body: SignupRequest,
      responses: { 200: { description: 'The email is on its way', schema: Done } },
      fails: ['signup_closed', 'invalid_invite_code', 'too_many_attempts'],
      handler: async ({ body, address }) => {
        const { email, password, name = email, invite_code: inviteCode = null } = body;
        await signUp(people, { email, password, name, inviteCode }, address);
        return reply(200, { status: 'ok' as const });
      },
    }),
    open.post('/auth/login', {
      operationId: 'logIn',
      summary: 'Sign in with email address and password',
      description:
        "Sets the session cookie and ends the browser's previous session. A session ends 30 days after its last use.",
      headers: CLIENT_HEADERS,
      body: LoginRequest,
      responses: {
        200: {
          description: 'The account',
          schema: SignedIn,
          headers: { 'Set-Cookie': SESSION_COOKIES },
        },
      },
      fails: ['invalid_login', 'too_many_attempts'],
      handler: async (request) => {
        const former = sessionTokenOf(request.header('cookie'));
        const { account, ...opened } = await signIn(people, request.body, clientOf(request), former);
        const shown = {
          account_id: account.id,
          name: account.name,
          email: request.body.email,
          email_verified: account.emailVerifiedAt !== null,
        };
        return reply(200, shown, { 'Set-Cookie': cookiesOf(opened, people.publicUrl()) });
      },
    }),
    session.post('/auth/logout', {
      operationId: 'logOut',
      summary: 'Sign out',
      responses: { 200: { description: 'The session has ended', schema: Done } },
      handler: async ({ principal }) => {
        await closeSession(people, principal.credentialId);
        return reply(
          200,
          { status: 'ok' as const },
          { 'Set-Cookie': clearedSessionCookie(people.publicUrl()) },
        );
      },
    }),
  ];
}

/** The client that sent a request. Its route must list CLIENT_HEADERS in `headers`. */
export function clientOf(request: Pick<RouteRequest, 'address' | 'header'>): Client {
  const userAgent = request.header('user-agent').slice(0, MAX_USER_AGENT_LENGTH);
  return { address: request.address, userAgent, browserToken: browserTokenOf(request.header('cookie')) };
}

/** The `Set-Cookie` headers of a new session. */
export function cookiesOf({ token, browserToken }: OpenedSession, publicUrl: string): string[] {
  const known = browserToken === null ? [] : [browserCookie(browserToken, publicUrl)];
  return [sessionCookie(token, publicUrl), ...known];
}
