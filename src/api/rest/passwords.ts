import { changePassword } from '../../accounts/passwords/change-password.ts';
import { forgotPassword, isResetLink, resetPassword } from '../../accounts/passwords/reset-password.ts';
import type { People } from '../../accounts/people/people.ts';
import { reply } from '../http/answer/reply.ts';
import { type Route, resource } from '../http/routing/route.ts';
import { RESET_LINK_INVALID } from '../pages/notice.ts';
import { pageAnswer, pageReply } from '../pages/page.ts';
import { resetPasswordPage } from '../pages/reset-password.ts';
import { Done } from '../schema/acknowledgements.ts';
import {
  ChangePasswordRequest,
  ForgotPasswordRequest,
  ResetPageQuery,
  ResetPasswordRequest,
} from '../schema/auth.ts';
import { CLIENT_HEADERS, clientOf, cookiesOf, SESSION_COOKIES } from './sign-in.ts';

const open = resource('public', 'Authentication');
const session = resource('session', 'Authentication');

/** Routes for resetting and changing passwords. */
export function passwordRoutes(people: People): Route[] {
  return [
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
      handler: async ({ body, address }) => {
        await resetPassword(people, body.token, body.password, address);
        return reply(200, { status: 'ok' as const });
      },
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
