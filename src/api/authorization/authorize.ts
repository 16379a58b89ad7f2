import type { z } from 'zod';
import { requireVerifiedAddress } from '../../accounts/people/verified-address.ts';
import { approve, approveAgain, approvedBefore } from '../../authorization/approve.ts';
import {
  AuthorizationRefused,
  type AuthorizationRequest,
  denied,
  readAuthorizationRequest,
} from '../../authorization/authorization-request.ts';
import { isPrivateUseRedirect } from '../../authorization/redirect-uris.ts';
import { reachOf } from '../../authorization/scope-names.ts';
import { GatewayError } from '../../base/errors.ts';
import { findAuthorization } from '../../store/keys/mcp-authorizations.ts';
import type { Principal } from '../auth/principal.ts';
import { type BytesReply, type EmptyReply, replyEmpty } from '../http/answer/reply.ts';
import { type Route, resource } from '../http/routing/route.ts';
import { consentPage } from '../pages/consent.ts';
import { authorizationFailed, CONFIRM_FIRST } from '../pages/notice.ts';
import { HTML_TYPE, OWN_FORM_HEADERS, pageAnswer, pageReply } from '../pages/page.ts';
import { type SignInOffer, signInReply } from '../pages/sign-in.ts';
import { AuthorizeQuery } from '../schema/authorization.ts';
import type { AuthorizationContext } from './authorization-context.ts';
import { repeatedNames } from './clients.ts';
import { choiceIn, type GivenAnswer, questionFor, readAnswer } from './consent.ts';

const open = resource('public', 'MCP authorization');
const PATH = '/oauth/authorize';
const WHY_SIGN_IN = 'An assistant wants to act for you. Sign in to continue.';
const SENT_BACK = {
  description: 'Redirects to the client with a code or an error',
  headers: { Location: 'The redirect URL' },
} as const;
const PAGE = {
  description: 'The consent page, or the sign-in page',
  contentType: HTML_TYPE,
} as const;
const UNVERIFIED_PAGE = {
  description: "A page that asks the user to confirm the account's email address first",
  contentType: HTML_TYPE,
} as const;
const FAULT_PAGE = pageAnswer('A page that explains the error');

type Asked = z.output<typeof AuthorizeQuery>;

/** Routes of the page on which users authorize MCP clients. */
export function authorizeRoutes(context: AuthorizationContext): Route[] {
  return [
    open.get(PATH, {
      operationId: 'authorize',
      refusesHead: true,
      summary: 'Show the consent page for an MCP client',
      description:
        "For browsers. The user signs in and confirms the account's email address first. Consent is not asked for again if the user gave it to the same client for the same redirect URI and at least the same platforms. For a client on the user's computer (loopback), the port and the session must be the same too.",
      headers: ['cookie'],
      query: AuthorizeQuery,
      responses: { 200: PAGE, 302: SENT_BACK, 400: FAULT_PAGE, 403: UNVERIFIED_PAGE },
      fails: ['too_many_attempts'],
      handler: async (request) => {
        const { query, address } = request;
        const session = context.sessionOf(request.header('cookie'));
        if (session === null || wants(query, 'login'))
          return signInReply(signInOffer(context), { path: PATH, query, why: WHY_SIGN_IN, session });
        return await orRefusal(302, async () => {
          const repeated = repeatedNames(new URLSearchParams(request.search));
          const asked = await readAuthorizationRequest(context.domain, { ...query, repeated }, address);
          const { accountId } = session;
          await requireVerifiedAddress(context.domain.store.db, accountId);
          const former = await findAuthorization(context.domain.store.db, accountId, asked.client.clientId);
          const approved = wants(query, 'consent')
            ? null
            : approvedBefore(former, asked, session.credentialId);
          if (approved) return sendBack(302, await approveAgain(context.domain, session, approved, asked));
          const given = former && { platforms: former.platforms, agentIds: former.agentIds };
          return await consentReply(200, context, session, { asked, state: { query, given, complaint: '' } });
        });
      },
    }),
    open.post(PATH, {
      operationId: 'decideAuthorization',
      summary: 'Allow or deny an MCP client',
      description: 'Submitted by the form on the consent page.',
      headers: ['cookie'],
      body: 'raw',
      responses: {
        303: SENT_BACK,
        400: { ...FAULT_PAGE, description: 'A page that explains the error, or the consent page again' },
        403: UNVERIFIED_PAGE,
      },
      fails: ['too_many_attempts'],
      handler: async (request) => {
        const { body, address } = request;
        const session = context.sessionOf(request.header('cookie'));
        return await orRefusal(303, async () => {
          const answer = readAnswer(body);
          if (
            session === null ||
            !context.tickets.isGood(answer.ticket, session.credentialId, answer.request)
          )
            throw new GatewayError('consent_outdated');
          const query = AuthorizeQuery.parse(Object.fromEntries(new URLSearchParams(answer.request)));
          const asked = await readAuthorizationRequest(context.domain, query, address);
          if (!answer.isYes) throw denied(context.domain, asked);
          return await sayYes(context, session, { asked, query, answer });
        });
      },
    }),
  ];
}

function signInOffer({ people: { signup, publicUrl }, providers }: AuthorizationContext): SignInOffer {
  return { signup, providers, publicUrl };
}

interface Consent {
  readonly asked: AuthorizationRequest;
  readonly query: Asked;
  readonly answer: GivenAnswer;
}

async function sayYes(
  context: AuthorizationContext,
  session: Principal,
  { asked, query, answer }: Consent,
): Promise<EmptyReply<303> | BytesReply<400>> {
  const choice = choiceIn(answer, asked, session.agentIds);
  if (choice.complaint !== '') {
    const given = { platforms: new Set(choice.platforms), agentIds: choice.agentIds };
    return await consentReply(400, context, session, {
      asked,
      state: { query, given, complaint: choice.complaint },
    });
  }
  const { platforms, agentIds } = choice;
  return sendBack(
    303,
    await approve(context.domain, session, asked, { platforms: reachOf(platforms), agentIds }),
  );
}

interface ConsentQuestion {
  readonly asked: AuthorizationRequest;
  readonly state: Parameters<typeof questionFor>[3];
}

async function consentReply<Status extends 200 | 400>(
  status: Status,
  context: AuthorizationContext,
  session: Principal,
  { asked, state }: ConsentQuestion,
): Promise<BytesReply<Status>> {
  const page = consentPage(await questionFor(context, session, asked, state));
  return pageReply(status, page, OWN_FORM_HEADERS);
}

/**
 * Turns an error into an answer: a refusal is redirected to the client, and errors meant only for the user are shown on
 * a page. Before the user has answered (302), a refusal is not redirected to an application on the user's computer,
 * because otherwise any link could start it.
 */
async function orRefusal<Status extends 302 | 303, Other>(
  status: Status,
  answer: () => Promise<Other>,
): Promise<Other | EmptyReply<Status> | BytesReply<400 | 403>> {
  try {
    return await answer();
  } catch (error) {
    if (error instanceof AuthorizationRefused)
      return status === 302 && isPrivateUseRedirect(error.location)
        ? pageReply(400, authorizationFailed(error.message))
        : sendBack(status, error.location);
    if (error instanceof GatewayError && error.code === 'email_not_verified')
      return pageReply(403, CONFIRM_FIRST);
    if (error instanceof GatewayError && (error.status === 400 || error.code === 'cap_reached'))
      return pageReply(400, authorizationFailed(error.message));
    throw error;
  }
}

function sendBack<Status extends 302 | 303>(status: Status, location: string): EmptyReply<Status> {
  return replyEmpty(status, {
    Location: location,
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
  });
}

function wants({ prompt }: Asked, what: string): boolean {
  return prompt.split(' ').includes(what);
}
