import { changePassword } from '../../accounts/passwords/change-password.ts';
import { forgotPassword, resetPassword } from '../../accounts/passwords/reset-password.ts';
import type { People } from '../../accounts/people/people.ts';
import { reply } from '../http/answer/reply.ts';
import { type Route, route } from '../http/routing/route.ts';
import { HTML_TYPE, pageReply } from '../pages/page.ts';
import { resetPasswordPage } from '../pages/reset-password.ts';
import {
  ChangePasswordRequest,
  Done,
  ForgotPasswordRequest,
  ResetPageQuery,
  ResetPasswordRequest,
} from '../schema/auth.ts';
import { CLIENT_HEADERS, clientOf, cookiesOf, SESSION_COOKIES, TOO_MANY } from './sign-in.ts';

const TAGS = ['Authentication'] as const;

/** Routes for resetting and changing passwords. */
export function passwordRoutes(people: People): Route[] {
  return [forgot(people), reset(people), resetPage(), change(people)];
}

function forgot(people: People): Route {
  return route({
    method: 'post',
    path: '/auth/forgot-password',
    access: 'public',
    operationId: 'forgotPassword',
    summary: 'Ask for a mail with a link for a new password',
    description:
      'Answers 200 just as fast whether or not the address has an account, and also when too many mails were asked for: then none is sent.',
    tags: TAGS,
    body: ForgotPasswordRequest,
    responses: {
      200: { description: 'If the address has an account, the mail is on its way', schema: Done },
    },
    handler: ({ body, address }) => {
      forgotPassword(people, body.email, address);
      return reply(200, { status: 'ok' as const });
    },
  });
}

function reset(people: People): Route {
  return route({
    method: 'post',
    path: '/auth/reset-password',
    access: 'public',
    operationId: 'resetPassword',
    summary: 'Set a new password by the token of a reset mail',
    description:
      'The token works once, within an hour. Every session of the account ends, and every other link that was sent by mail. Where the account was never shown to be its owner’s, its keys, MCP clients, identities and platform logins end with them.',
    tags: TAGS,
    body: ResetPasswordRequest,
    responses: {
      200: { description: 'The password was set', schema: Done },
      400: 'Invalid or expired token',
      429: TOO_MANY,
    },
    handler: async ({ body, address }) => {
      await resetPassword(people, body.token, body.password, address);
      return reply(200, { status: 'ok' as const });
    },
  });
}

function resetPage(): Route {
  return route({
    method: 'get',
    path: '/auth/reset-password',
    access: 'public',
    operationId: 'getResetPasswordPage',
    summary: 'Show the page that a reset mail leads to',
    description: 'Without a token it asks for the address to send a link to.',
    tags: TAGS,
    query: ResetPageQuery,
    responses: { 200: { description: 'A page', contentType: HTML_TYPE } },
    handler: ({ query }) => pageReply(200, resetPasswordPage(query.token)),
  });
}

function change(people: People): Route {
  return route({
    method: 'post',
    path: '/api/change-password',
    access: 'session',
    operationId: 'changePassword',
    summary: 'Change the password',
    description:
      'Every session of the account ends, and every link that was sent by mail; this browser gets a new session. An account without a password gets its first one by POST /auth/forgot-password.',
    tags: TAGS,
    headers: CLIENT_HEADERS,
    body: ChangePasswordRequest,
    responses: {
      200: {
        description: 'It was changed',
        schema: Done,
        headers: { 'Set-Cookie': SESSION_COOKIES },
      },
      400: 'Current password is wrong',
      429: TOO_MANY,
    },
    handler: async (request) => {
      const { current_password: current, new_password: wanted } = request.body;
      const opened = await changePassword(people, request.principal, { current, wanted }, clientOf(request));
      return reply(200, { status: 'ok' as const }, { 'Set-Cookie': cookiesOf(opened, people.publicUrl()) });
    },
  });
}
