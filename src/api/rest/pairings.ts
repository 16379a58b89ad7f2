import type { AccountDomain } from '../../accounts/account/account-domain.ts';
import { ownerOf } from '../../accounts/connections/connection-owner.ts';
import { addInstalledBot } from '../../accounts/connections/installed-bots.ts';
import {
  agreeToPairing,
  type PairingPlatform,
  pairingPlatform,
} from '../../accounts/connections/start-pairing.ts';
import type { SignupPolicy } from '../../accounts/people/people.ts';
import { requireVerifiedAddress } from '../../accounts/people/verified-address.ts';
import type { ConsentTickets } from '../../authorization/consent-ticket.ts';
import { GatewayError } from '../../base/errors.ts';
import { PLATFORM_TRAITS, type Platform } from '../../base/platform.ts';
import type { AskedPairing } from '../../connectors/contract/pairing.ts';
import type { Principal } from '../auth/principal.ts';
import { parseForm } from '../authorization/clients.ts';
import { type BytesReply, reply, replyEmpty } from '../http/answer/reply.ts';
import { type Route, resource } from '../http/routing/route.ts';
import { CONFIRM_FIRST, connectFailed, DECLINED } from '../pages/notice.ts';
import { OWN_FORM_HEADERS, pageAnswer, pageReply, refusalPage } from '../pages/page.ts';
import { pairingPage } from '../pages/pairing.ts';
import { type SignInOffer, signInReply } from '../pages/sign-in.ts';
import { InstalledBot, InstalledBotRequest, PairingQuery } from '../schema/connection.ts';
import { NO_STORE, starterOf, type Visitors } from './connections.ts';
import { OWN_SITES } from './oauth.ts';

export interface PairingContext {
  readonly domain: AccountDomain;
  readonly visitors: Visitors;
  readonly signup: SignupPolicy;
  readonly tickets: ConsentTickets;
}

const config = resource('config', 'Platforms');
const open = resource('public', 'Platforms');
const PAGE_STATUSES = [400] as const;
const WHY_SIGN_IN = 'A server wants to work with your agents. Sign in to continue.';

/** Routes for the platforms whose servers belong to people and pair with accounts. */
export function pairingRoutes(context: PairingContext): Route[] {
  const { connectors } = context.domain.calls;
  return [...connectors.keys()].flatMap((name) => {
    const offered = pairingPlatform(connectors, name);
    if (offered === null) return [];
    return [...consentRoutes(context, offered), botRoute(context, offered)];
  });
}

/** Where a server sends its person, who signs in and agrees. */
function consentRoutes(context: PairingContext, offered: PairingPlatform): Route[] {
  const { domain, visitors, tickets } = context;
  const { platform } = offered;
  const { title } = PLATFORM_TRAITS[platform];
  const path = `/connect/${platform}` as const;
  const noun = `${title.replaceAll(' ', '')}Pairing`;
  return [
    open.get(path, {
      operationId: `ask${noun}`,
      refusesHead: true,
      summary: `Ask whether a server of ${title} may be connected`,
      description:
        'For browsers: a server that wants to be connected sends its person here. They sign in and confirm the account’s email address first.',
      headers: ['cookie'],
      query: PairingQuery,
      responses: {
        200: pageAnswer('A page that asks, or the sign-in page'),
        400: pageAnswer('A page that explains what is wrong with the request'),
        403: pageAnswer('A page that asks the person to confirm their email address first'),
      },
      fails: ['too_many_attempts'],
      handler: async (request) => {
        visitors.signIns.limits.attempt(request.address, null);
        const session = visitors.sessionOf(request.header('cookie'));
        const { prompt, ...query } = request.query;
        try {
          // What is wrong with the request is said before anybody signs in for it.
          const asked = offered.pairing.asked(query);
          if (session === null || prompt === 'login')
            return signInReply(signInOffer(context), { path, query, why: WHY_SIGN_IN, session });
          return await question(context, platform, session, { query, asked });
        } catch (refusal) {
          return refusedAs(refusal);
        }
      },
    }),
    open.post(path, {
      operationId: `answer${noun}`,
      summary: `Agree or decline to connect a server of ${title}`,
      description:
        'Submitted by the page that GET shows. The browser goes back to the server, which goes on.',
      headers: ['cookie', 'sec-fetch-site'],
      body: 'raw',
      responses: {
        200: pageAnswer('Declined'),
        303: { description: 'Agreed: redirects to the server', headers: { Location: 'The redirect URL' } },
        400: pageAnswer('The page has expired, or a page that explains what is wrong with the request'),
        403: pageAnswer('A page that asks the person to confirm their email address first'),
      },
      fails: ['too_many_attempts'],
      handler: async (request) => {
        const form = parseForm(request.body);
        if (!OWN_SITES.has(request.header('sec-fetch-site'))) throw new GatewayError('cross_site');
        visitors.signIns.limits.attempt(request.address, null);
        const session = visitors.sessionOf(request.header('cookie'));
        const asked = form.get('request') ?? '';
        const isShown =
          session !== null && tickets.isGood(form.get('ticket') ?? '', session.credentialId, asked);
        if (!isShown)
          return pageReply(400, connectFailed('This page has expired; start again at the server'));
        if (form.get('decision') !== 'connect') return pageReply(200, DECLINED);
        try {
          const query = Object.fromEntries(new URLSearchParams(asked));
          const Location = await agreeToPairing(domain.connections, starterOf(session), offered, query);
          return replyEmpty(303, { ...NO_STORE, Location });
        } catch (refusal) {
          return refusedAs(refusal);
        }
      },
    }),
  ];
}

function signInOffer({ visitors: { signIns, publicUrl }, signup }: PairingContext): SignInOffer {
  return { signup, providers: [...signIns.providers.keys()], publicUrl };
}

interface Asking {
  readonly query: Readonly<Record<string, string>>;
  /** What the query asks for. */
  readonly asked: AskedPairing;
}

async function question(
  { domain, tickets }: PairingContext,
  platform: Platform,
  { accountId, credentialId }: Principal,
  { query, asked: { server, host } }: Asking,
): Promise<BytesReply<200>> {
  const { db } = domain.store;
  await requireVerifiedAddress(db, accountId);
  const requestText = new URLSearchParams(query).toString();
  const page = pairingPage({
    platform,
    title: PLATFORM_TRAITS[platform].title,
    server,
    host,
    requestText,
    ticket: tickets.issue(credentialId, requestText),
    account: await ownerOf(db, accountId),
    otherAccountUrl: `${platform}?${new URLSearchParams({ ...query, prompt: 'login' })}`,
  });
  return pageReply(200, page, OWN_FORM_HEADERS);
}

function refusedAs(refusal: unknown): BytesReply<400 | 403> {
  if (refusal instanceof GatewayError && refusal.code === 'email_not_verified')
    return pageReply(403, CONFIRM_FIRST);
  return refusalPage(refusal, PAGE_STATUSES, connectFailed);
}

/** The bots that a server's administrator installs by hand. */
function botRoute({ domain, visitors }: PairingContext, offered: PairingPlatform): Route {
  const { platform, pairing } = offered;
  const { title } = PLATFORM_TRAITS[platform];
  return config.post(`/api/${platform}/${pairing.installed.path}`, {
    operationId: `add${title.replaceAll(' ', '')}Bot`,
    summary: `Connect a server of ${title} by a bot that its administrator installs`,
    description:
      'For servers whose administrator does not install the addon. Returns the line with which the administrator installs the bot. The account’s former connection to the server, if it has one, becomes this bot’s, and its former secret is void.',
    body: InstalledBotRequest,
    idempotency: 'none',
    responses: { 201: { description: 'To be installed', schema: InstalledBot } },
    fails: [
      'email_not_verified',
      { server_invalid: 'This is not the URL of a server' },
      'server_blocked',
      'cap_reached',
      'too_many_attempts',
    ],
    handler: async ({ principal, body, address }) => {
      visitors.signIns.limits.attempt(address, null);
      const wanted = { serverUrl: body.server_url, name: body.name };
      const bot = await addInstalledBot(domain.connections, starterOf(principal), offered, wanted);
      return reply(201, {
        connection_id: bot.connectionId,
        webhook_url: bot.webhookUrl,
        secret: bot.secret,
        install: bot.installLine,
      });
    },
  });
}
