import { onTestFinished } from 'vitest';
import type { AccountDomain } from '../../../src/accounts/account/account-domain.ts';
import type { SignIns } from '../../../src/accounts/identities/sign-ins.ts';
import { AttemptLimits } from '../../../src/accounts/passwords/attempt-limits.ts';
import { connectionRoutes } from '../../../src/api/rest/connections.ts';
import { platformRoutes } from '../../../src/api/rest/platforms.ts';
import { PLATFORM_TRAITS } from '../../../src/base/platform.ts';
import type { CallDomain } from '../../../src/calls/call-domain.ts';
import type { Connector } from '../../../src/connectors/contract/connector.ts';
import type { ConnectsByOAuth } from '../../../src/connectors/contract/oauth.ts';
import type { Store } from '../../../src/store/store.ts';
import { CookieBrowser } from '../../support/browser-cookies.ts';
import { budgetsOf } from '../../support/budgets.ts';
import { GatewayApi } from '../../support/gateway-api.ts';
import { OAuthPlatform } from '../../support/oauth-platform.ts';
import { TurnableClock } from '../../support/turnable-clock.ts';
import { FakeDirectory } from '../accounts/fake-directory.ts';
import { connectionsOf } from '../accounts/test-connections.ts';
import { temporaryStore } from '../store/temporary.ts';
import { annAndBob, sessionOf } from './ann-and-bob.ts';
import { served } from './served.ts';

/** The platform whose part the OAuth platform takes. */
export const PLATFORM = 'meet';
/** A second platform with the same authorization server. It identifies nobody. */
export const OTHER_PLATFORM = 'zoom';

/**
 * The routes of connections on a real server, with a real authorization server as the platform, and two people, Ann and
 * Bob, with a verified address, a session and a settings key each.
 */
export class ConnectionsServer {
  readonly store: Store;
  readonly clock: TurnableClock;
  readonly platform: OAuthPlatform;
  readonly domain: AccountDomain;
  readonly url: string;
  /** What was reported to the operator. */
  readonly failures: string[];
  /** Accounts that were woken by events. */
  readonly woken: string[];
  /** Calls that were ended: account, connection, reason. */
  readonly ended: string[][];

  private constructor(
    fields: Omit<ConnectionsServer, 'browser' | 'start' | 'comeBack' | 'connect' | 'api' | 'rows' | 'events'>,
  ) {
    this.store = fields.store;
    this.clock = fields.clock;
    this.platform = fields.platform;
    this.domain = fields.domain;
    this.url = fields.url;
    this.failures = fields.failures;
    this.woken = fields.woken;
    this.ended = fields.ended;
  }

  static async start(store?: Store): Promise<ConnectionsServer> {
    const own = store ?? (await temporaryStore());
    const clock = new TurnableClock();
    const platform = await OAuthPlatform.start(PLATFORM);
    onTestFinished(() => platform.stop());
    const [failures, woken, ended]: [string[], string[], string[][]] = [[], [], []];
    const connectors = new Map([
      [PLATFORM, platform as unknown as Connector],
      [OTHER_PLATFORM, { provides: { oauth: otherPlatform(platform) } } as unknown as Connector],
      ['sip', { provides: {} } as unknown as Connector],
    ] as const);
    let url = '';
    const connections = connectionsOf(own, {
      clock,
      connectors,
      publicUrl: () => url,
      wake: (accountId) => woken.push(accountId),
      endCalls: async (...call) => void ended.push(call),
      onFailure: (_platform, what, reason) => failures.push(`${what}: ${reason}`),
    });
    const calls = { connectors } as unknown as CallDomain;
    const domain: AccountDomain = {
      store: own,
      clock,
      directory: new FakeDirectory(),
      traits: PLATFORM_TRAITS,
      calls,
      connections,
      budgets: await budgetsOf(own, clock),
    };
    const authenticate = await annAndBob(own);
    const visitors = {
      signIns: { limits: new AttemptLimits(clock, 10) } as unknown as SignIns,
      publicUrl: () => url,
      sessionOf,
    };
    const routes = [...connectionRoutes(domain, visitors), ...platformRoutes(domain)];
    ({ url } = await served(routes, { authenticate }));
    platform.peer.allow(`${url}/api/oauth/${PLATFORM}/callback`);
    platform.peer.person = ANN_THERE;
    return new ConnectionsServer({ store: own, clock, platform, domain, url, failures, woken, ended });
  }

  /** A browser that is signed in to an account of the gateway; null: to none. */
  browser(name: 'ann' | 'bob' | null): CookieBrowser {
    const browser = new CookieBrowser();
    if (name !== null) browser.setCookie(this.url, `svc_session=ses_acc_${name}; Path=/`);
    return browser;
  }

  /** Requests with a settings key. */
  api(name: 'ann' | 'bob'): GatewayApi {
    return new GatewayApi(this.url, `svc_acc_${name}_settings`);
  }

  /** Starts connecting in a session, as a page of the gateway does. */
  async start(name: 'ann' | 'bob', body: unknown = null, platform: string = PLATFORM): Promise<Response> {
    return await fetch(`${this.url}/api/oauth/start/${platform}`, {
      method: 'POST',
      headers: {
        cookie: `svc_session=ses_acc_${name}`,
        'content-type': 'application/json',
        'sec-fetch-site': 'same-origin',
      },
      body: JSON.stringify(body),
    });
  }

  /** Signs in at the platform after a start; returns the address that it redirects the browser to. */
  async comeBack(browser: CookieBrowser, started: Response): Promise<URL> {
    const { authorize_url: authorizeUrl } = (await started.json()) as { authorize_url: string };
    return await browser.goUntil(authorizeUrl, ({ pathname }) => pathname.endsWith('/callback'));
  }

  /** Connects all the way in a session; returns the id of the connection. */
  async connect(name: 'ann' | 'bob', body: unknown = null): Promise<string> {
    const browser = this.browser(name);
    const callback = await this.comeBack(browser, await this.start(name, body));
    const answer = await browser.get(callback);
    if (answer.status >= 400) throw new Error(await answer.text());
    const rows = (await this.rows()).filter(({ accountId }) => accountId === `acc_${name}`);
    return rows.at(-1)!.id;
  }

  async rows() {
    return await this.store.db.selectFrom('connections').selectAll().orderBy('createdAt').execute();
  }

  /** The account's `connection_status` events, as agent and payload. */
  async events(name: 'ann' | 'bob'): Promise<unknown[]> {
    const rows = await this.store.db
      .selectFrom('events')
      .selectAll()
      .where('accountId', '=', `acc_${name}`)
      .orderBy('id')
      .execute();
    return rows.map(({ type, platform, agentId, payload }) => ({
      type,
      platform,
      agentId,
      ...payload,
    }));
  }
}

/** Ann's account of the platform. */
export const ANN_THERE = {
  subject: 'ann-there',
  name: 'Ann There',
  email: 'ann@there.example',
  emailVerified: true,
};

function otherPlatform({ client }: OAuthPlatform): ConnectsByOAuth {
  return {
    client,
    identify: () => Promise.reject(new Error('nobody connects here')),
  };
}
