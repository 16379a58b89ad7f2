import { changePassword } from '../../accounts/passwords/change-password.ts';
import { forgotPassword, isResetLink, resetPassword } from '../../accounts/passwords/reset-password.ts';
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
import { RESET_LINK_INVALID } from '../pages/notice.ts';
import { pageAnswer, pageReply } from '../pages/page.ts';
import { resetPasswordPage } from '../pages/reset-password.ts';
import { acknowledged, Done } from '../schema/acknowledgements.ts';
import {
  ChangePasswordRequest,
  ForgotPasswordRequest,
  LoginRequest,
  ResetPageQuery,
  ResetPasswordRequest,
  SignedIn,
  SignupRequest,
} from '../schema/auth.ts';

const open = resource('public', 'Authentication');
const session = resource('session', 'Authentication');
const MAX_USER_AGENT_LENGTH = 256;

/** Description of the cookies set by signing in, for the OpenAPI document. */
export const SESSION_COOKIES =
  '`svc_session`: the session. `svc_browser`: identifies this browser, so that wrong passwords sent by others do not lock it out';

/** Request headers needed by `clientOf`. */
export const CLIENT_HEADERS = ['cookie', 'user-agent'] as const;

/** Routes for signing up, in and out, and for passwords. */
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
    open.post('/auth/forgot-password', {
      operationId: 'forgotPassword',
      summary: 'Request a password reset email',
      description:
        'Answers 200 equally fast whether or not the address has an account. When too many emails were requested, none is sent and the answer is the same.',
      body: ForgotPasswordRequest,
      responses: {
        200: { description: 'If the address has an account, an email is on its way', schema: Done },
      },
      handler: ({ body, address }) => {
        forgotPassword(people, body.email, address);
        return reply(200, { status: 'ok' as const });
      },
    }),
    open.post('/auth/reset-password', {
      operationId: 'resetPassword',
      summary: 'Set a new password with the token from the email',
      description:
        "The token works once, within an hour. Ends all sessions of the account and invalidates all other emailed links. If the account's address was never verified, its keys, MCP clients, identities and platform logins are removed too.",
      body: ResetPasswordRequest,
      responses: { 200: { description: 'The password was set', schema: Done } },
      fails: ['invalid_mail_token', 'too_many_attempts'],
      handler: ({ body, address }) => acknowledged(resetPassword(people, body.token, body.password, address)),
    }),
    open.get('/auth/reset-password', {
      operationId: 'getResetPasswordPage',
      summary: 'Get the page for setting a new password',
      description:
        'Without a token, the page asks for the email address to send a link to. The token is checked and not used.',
      query: ResetPageQuery,
      responses: { 200: pageAnswer('A page'), 400: pageAnswer('Invalid or expired token') },
      fails: ['too_many_attempts'],
      handler: async ({ query: { token }, address }) => {
        if (token !== '' && !(await isResetLink(people, token, address)))
          return pageReply(400, RESET_LINK_INVALID);
        return pageReply(200, resetPasswordPage(token));
      },
    }),
    session.post('/api/change-password', {
      operationId: 'changePassword',
      summary: 'Change the password',
      description:
        'Ends all sessions of the account and invalidates all emailed links; this browser gets a new session. Accounts without a password set one with POST /auth/forgot-password.',
      headers: CLIENT_HEADERS,
      body: ChangePasswordRequest,
      responses: {
        200: {
          description: 'The password was changed',
          schema: Done,
          headers: { 'Set-Cookie': SESSION_COOKIES },
        },
      },
      fails: ['wrong_password', 'too_many_attempts'],
      handler: async (request) => {
        const { current_password: current, new_password: wanted } = request.body;
        const opened = await changePassword(
          people,
          request.principal,
          { current, wanted },
          clientOf(request),
        );
        return reply(200, { status: 'ok' as const }, { 'Set-Cookie': cookiesOf(opened, people.publicUrl()) });
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
