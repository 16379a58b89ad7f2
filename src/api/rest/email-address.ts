import { changeEmail, confirmEmailChange } from '../../accounts/change-email.ts';
import type { People } from '../../accounts/people.ts';
import { resendVerification, verifyEmail } from '../../accounts/verify-email.ts';
import { GatewayError } from '../../base/errors.ts';
import { reply } from '../http/reply.ts';
import { type Route, route } from '../http/route.ts';
import { ADDRESS_CHANGED, ADDRESS_CONFIRMED, ADDRESS_TAKEN, LINK_INVALID } from '../pages/notice.ts';
import { HTML_TYPE, type Page, pageReply } from '../pages/page.ts';
import { ChangeEmailRequest, Done, TokenQuery } from '../schema/auth.ts';
import { TOO_MANY } from './sign-in.ts';

const TAGS = ['Authentication'] as const;

/** The address of an account: proven, and changed. */
export function emailAddressRoutes(people: People): Route[] {
  return [verify(people), resend(people), change(people), confirmChange(people)];
}

function verify(people: People): Route {
  return route({
    method: 'get',
    path: '/auth/verify',
    access: 'public',
    operationId: 'verifyEmail',
    summary: 'Prove an email address by the token of a mail',
    description: 'Answers with a page for people.',
    tags: TAGS,
    query: TokenQuery,
    responses: {
      200: { description: 'The address is proven', contentType: HTML_TYPE },
      400: { description: 'Invalid or expired token', contentType: HTML_TYPE },
      429: TOO_MANY,
    },
    handler: async ({ query, address }) => {
      const page = await follow(verifyEmail(people, query.token, address), ADDRESS_CONFIRMED);
      return page === LINK_INVALID ? pageReply(400, page) : pageReply(200, page);
    },
  });
}

function resend(people: People): Route {
  return route({
    method: 'post',
    path: '/auth/resend-verification',
    access: 'session',
    operationId: 'resendVerification',
    summary: 'Send the link that proves the email address once more',
    description: 'Sends nothing when the address is proven already.',
    tags: TAGS,
    responses: {
      200: { description: 'The mail is on its way', schema: Done },
      400: 'Account has no email address',
      429: TOO_MANY,
    },
    handler: async ({ principal, address }) => {
      await resendVerification(people, principal.accountId, address);
      return reply(200, { status: 'ok' as const });
    },
  });
}

function change(people: People): Route {
  return route({
    method: 'post',
    path: '/api/change-email',
    access: 'session',
    operationId: 'changeEmail',
    summary: 'Ask for another email address',
    description:
      'A mail goes to the new address; the account has it once the link in that mail was followed.',
    tags: TAGS,
    body: ChangeEmailRequest,
    responses: {
      200: { description: 'The mail is on its way', schema: Done },
      400: 'Current password is wrong',
      429: TOO_MANY,
    },
    handler: async ({ principal, body, address }) => {
      const { new_email: email, password } = body;
      await changeEmail(people, principal, { email, password }, address);
      return reply(200, { status: 'ok' as const });
    },
  });
}

function confirmChange(people: People): Route {
  return route({
    method: 'get',
    path: '/api/verify-email-change',
    access: 'public',
    operationId: 'verifyEmailChange',
    summary: 'Take a new email address by the token of a mail',
    description: 'Answers with a page for people.',
    tags: TAGS,
    query: TokenQuery,
    responses: {
      200: { description: 'The account has the address', contentType: HTML_TYPE },
      400: { description: 'Invalid or expired token', contentType: HTML_TYPE },
      409: { description: 'Another account has the address', contentType: HTML_TYPE },
      429: TOO_MANY,
    },
    handler: async ({ query, address }) => {
      const page = await follow(confirmEmailChange(people, query.token, address), ADDRESS_CHANGED);
      if (page === LINK_INVALID) return pageReply(400, page);
      return page === ADDRESS_TAKEN ? pageReply(409, page) : pageReply(200, page);
    },
  });
}

/** The page that tells how following a link went. */
async function follow(following: Promise<void>, done: Page): Promise<Page> {
  try {
    await following;
    return done;
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    if (error.code === 'invalid_mail_token') return LINK_INVALID;
    if (error.code === 'email_taken') return ADDRESS_TAKEN;
    throw error;
  }
}
