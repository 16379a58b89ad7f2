import type { z } from 'zod';
import { accountOfLink } from '../../accounts/mail/mail-links.ts';
import { changeEmail, confirmEmailChange } from '../../accounts/people/change-email.ts';
import type { People } from '../../accounts/people/people.ts';
import { type LinkVisitor, resendVerification, verifyEmail } from '../../accounts/people/verify-email.ts';
import { type ErrorCode, GatewayError } from '../../base/errors.ts';
import type { MailPurpose } from '../../store/people/people-tables.ts';
import { sessionTokenOf } from '../auth/cookies.ts';
import { type BytesReply, type JsonReply, reply } from '../http/answer/reply.ts';
import { type Route, type RouteRequest, resource, route } from '../http/routing/route.ts';
import {
  ADDRESS_CHANGED,
  ADDRESS_CONFIRMED,
  ADDRESS_TAKEN,
  CONFIRM_ADDRESS,
  CONFIRM_CHANGE,
  LINK_INVALID,
} from '../pages/notice.ts';
import { HTML_TYPE, OWN_FORM_HEADERS, type Page, pageReply } from '../pages/page.ts';
import { acknowledged, Done } from '../schema/acknowledgements.ts';
import { ChangeEmailRequest, TokenQuery } from '../schema/auth.ts';
import { ErrorBody } from '../schema/error-body.ts';
import { CLIENT_HEADERS, clientOf } from './sign-in.ts';

const TAGS = ['Authentication'] as const;
const session = resource('session', 'Authentication');
const LINK_HEADERS = ['cookie', 'accept'] as const;
const GET_NOTE =
  'Takes effect at once in a browser that is signed in to the account, and for `Accept: application/json`, which gets JSON. Otherwise it shows a page with a button that posts to the same URL, because mail scanners follow links. HEAD has no effect.';
const POST_NOTE = 'Submitted by the page that GET shows. `Accept: application/json` gets JSON.';
const INVALID = jsonOrPage('Invalid or expired token', ErrorBody);
const TAKEN = jsonOrPage('Another account uses the address', ErrorBody);
/** What the routes of both links share. */
const LINK_ROUTE = { access: 'public', tags: TAGS, headers: LINK_HEADERS, query: TokenQuery } as const;

/** The action behind a link from a mail, and its pages. `Refused`: possible statuses of a refusal. */
interface Link<Refused extends 400 | 409> {
  readonly purpose: MailPurpose;
  readonly follow: (token: string, visitor: LinkVisitor) => Promise<void>;
  /** Asks for confirmation. */
  readonly question: Page;
  readonly done: Page;
  /** The page for a refusal; null if it has none. */
  readonly refusal: (code: ErrorCode) => BytesReply<Refused> | null;
}

type LinkRequest = RouteRequest<null, unknown, { readonly token: string }>;
type LinkReply<Refused extends 400 | 409> =
  | BytesReply<200 | 400 | Refused>
  | JsonReply<200, z.output<typeof Done>>;

/** Both methods of a link: GET is the link itself, POST the form of its page. */
const LINK_METHODS = [
  { method: 'get', description: GET_NOTE, answer: visit },
  { method: 'post', description: POST_NOTE, answer: act },
] as const;

/** Routes that verify and change an account's email address. */
export function emailAddressRoutes(people: People): Route[] {
  const verification: Link<400> = {
    purpose: 'verify',
    follow: (token, visitor) => verifyEmail(people, token, visitor),
    question: CONFIRM_ADDRESS,
    done: ADDRESS_CONFIRMED,
    refusal: (code) => (code === 'invalid_mail_token' ? pageReply(400, LINK_INVALID) : null),
  };
  const change: Link<400 | 409> = {
    purpose: 'change_email',
    follow: (token, visitor) => confirmEmailChange(people, token, visitor),
    question: CONFIRM_CHANGE,
    done: ADDRESS_CHANGED,
    refusal: (code) => (code === 'email_taken' ? pageReply(409, ADDRESS_TAKEN) : verification.refusal(code)),
  };
  return [
    ...verifyRoutes(people, verification),
    session.post('/auth/resend-verification', {
      operationId: 'resendVerification',
      summary: 'Send the verification email again',
      description:
        'Sends nothing if the address was already verified in a signed-in browser. Invalidates earlier links.',
      responses: { 200: { description: 'The email is on its way', schema: Done } },
      fails: ['no_email_address', 'too_many_attempts'],
      handler: ({ principal, address }) =>
        acknowledged(resendVerification(people, principal.accountId, address)),
    }),
    session.post('/api/change-email', {
      operationId: 'changeEmail',
      summary: 'Change the email address',
      description:
        'Sends a link to the new address, which takes effect when the link is followed, and a notice to the current address. Invalidates earlier links. A password change invalidates this one.',
      headers: CLIENT_HEADERS,
      body: ChangeEmailRequest,
      responses: { 200: { description: 'The email is on its way', schema: Done } },
      fails: ['wrong_password', 'too_many_attempts'],
      handler: async (request) => {
        const { new_email: email, password } = request.body;
        await changeEmail(people, request.principal, { email, password }, clientOf(request));
        return reply(200, { status: 'ok' as const });
      },
    }),
    ...confirmChangeRoutes(people, change),
  ];
}

function verifyRoutes(people: People, link: Link<400>): Route[] {
  return LINK_METHODS.map(({ method, description, answer }) =>
    route({
      ...LINK_ROUTE,
      method,
      path: '/auth/verify',
      operationId: method === 'get' ? 'verifyEmail' : 'confirmEmail',
      summary: 'Verify an email address with the token from the email',
      description,
      responses: {
        200: jsonOrPage('The address is verified, or a page that asks for confirmation', Done),
        400: INVALID,
      },
      fails: ['too_many_attempts'],
      handler: async (request) => await answer(people, link, request),
    }),
  );
}

function confirmChangeRoutes(people: People, link: Link<400 | 409>): Route[] {
  return LINK_METHODS.map(({ method, description, answer }) =>
    route({
      ...LINK_ROUTE,
      method,
      path: '/api/verify-email-change',
      operationId: method === 'get' ? 'verifyEmailChange' : 'confirmEmailChange',
      summary: 'Confirm a new email address with the token from the email',
      description,
      responses: {
        200: jsonOrPage('The address was changed, or a page that asks for confirmation', Done),
        400: INVALID,
        409: TAKEN,
      },
      fails: ['too_many_attempts'],
      handler: async (request) => await answer(people, link, request),
    }),
  );
}

/** An answer whose form depends on the `Accept` header. */
function jsonOrPage<Schema extends z.ZodType>(description: string, schema: Schema) {
  return { description, schema, contentType: HTML_TYPE } as const;
}

/**
 * Handles a GET. Acts immediately only for the account's own session or for a program that requests JSON; all others
 * get the confirmation page.
 */
async function visit<Refused extends 400 | 409>(
  people: People,
  link: Link<Refused>,
  request: LinkRequest,
): Promise<LinkReply<Refused>> {
  const visitor = { ip: request.address, session: sessionIn(people, request) };
  const accountId = await accountOfLink(people, link.purpose, request.query.token);
  const isOwn = accountId !== undefined && visitor.session?.accountId === accountId;
  if (!request.isHead && (isOwn || wantsJson(request))) return await follow(link, request, visitor);
  people.limits.attempt(visitor.ip, null);
  if (accountId === undefined) return pageReply(400, LINK_INVALID);
  return pageReply(200, link.question, OWN_FORM_HEADERS);
}

/** Handles a POST: the user has confirmed. */
async function act<Refused extends 400 | 409>(
  people: People,
  link: Link<Refused>,
  request: LinkRequest,
): Promise<LinkReply<Refused>> {
  return await follow(link, request, { ip: request.address, session: sessionIn(people, request) });
}

/** Follows the link. Browsers get a page, programs get JSON. */
async function follow<Refused extends 400 | 409>(
  link: Link<Refused>,
  request: LinkRequest,
  visitor: LinkVisitor,
): Promise<LinkReply<Refused>> {
  const isJson = wantsJson(request);
  try {
    await link.follow(request.query.token, visitor);
    return isJson ? reply(200, { status: 'ok' as const }) : pageReply(200, link.done);
  } catch (error) {
    const page = isJson || !(error instanceof GatewayError) ? null : link.refusal(error.code);
    if (page === null) throw error;
    return page;
  }
}

function sessionIn(people: People, request: LinkRequest): LinkVisitor['session'] {
  const token = sessionTokenOf(request.header('cookie'));
  return token === null ? null : people.sessions.use(token);
}

/** Whether the client explicitly requests JSON. Browsers and mail scanners ask for HTML. */
function wantsJson(request: LinkRequest): boolean {
  const types = request
    .header('accept')
    .toLowerCase()
    .split(',')
    .map((type) => type.split(';')[0]!.trim());
  return types.includes('application/json') && !types.includes('text/html');
}
