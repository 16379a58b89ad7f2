import { onTestFinished } from 'vitest';
import type { AccountDomain } from '../../../src/accounts/account/account-domain.ts';
import { type Connections, handOverConnections } from '../../../src/accounts/connections/connections.ts';
import type { SignIns } from '../../../src/accounts/identities/sign-ins.ts';
import { AttemptLimits } from '../../../src/accounts/passwords/attempt-limits.ts';
import { connectionRoutes } from '../../../src/api/rest/connections.ts';
import { pairingRoutes } from '../../../src/api/rest/pairings.ts';
import { platformRoutes } from '../../../src/api/rest/platforms.ts';
import { webhookRoutes } from '../../../src/api/rest/webhooks.ts';
import { ConsentTickets } from '../../../src/authorization/consent-ticket.ts';
import { PLATFORM_TRAITS } from '../../../src/base/platform.ts';
import { publicOr } from '../../../src/base/public-address.ts';
import { ReadingTime } from '../../../src/base/reading-time.ts';
import { systemClock } from '../../../src/base/time.ts';
import type { CallDomain } from '../../../src/calls/call-domain.ts';
import type { Connector } from '../../../src/connectors/contract/connector.ts';
import type { TakesWebhooks } from '../../../src/connectors/contract/webhooks.ts';
import { PlatformHttp } from '../../../src/connectors/kit/platform-http.ts';
import {
  ADDON_RANDOM,
  ADDON_SIGNATURE,
  ReplayMemory,
} from '../../../src/connectors/nctalk/pairing/addon-signature.ts';
import {
  CALLBACK_LIMIT_BYTES,
  CALLBACK_WEBHOOK,
} from '../../../src/connectors/nctalk/pairing/pairing-callback.ts';
import {
  DISABLED_WEBHOOK,
  type TalkConnection,
  TalkPairing,
} from '../../../src/connectors/nctalk/pairing/talk-pairing.ts';
import type { Store } from '../../../src/store/store.ts';
import { CookieBrowser } from '../../support/browser-cookies.ts';
import { budgetsOf } from '../../support/budgets.ts';
import { GatewayApi } from '../../support/gateway-api.ts';
import { TurnableClock } from '../../support/turnable-clock.ts';
import { FakeDirectory } from '../accounts/fake-directory.ts';
import { connectionsOf } from '../accounts/test-connections.ts';
import { StubAddon } from '../connectors/nctalk/stub-addon.ts';
import { temporaryStore } from '../store/temporary.ts';
import { annAndBob, sessionOf } from './ann-and-bob.ts';
import { served } from './served.ts';

export const PLATFORM = 'nctalk';
/** What the addon makes for a visit. */
export const NC_STATE = '0123456789abcdef0123456789abcdef';

type Name = 'ann' | 'bob';

/** The routes of pairing on a real server, with the part of Nextcloud Talk that pairs, a Nextcloud, and Ann and Bob. */
export class PairingServer {
  readonly store: Store;
  readonly clock = new TurnableClock();
  readonly nextcloud: StubAddon;
  readonly pairing: TalkPairing;
  connections!: Connections;
  url = '';
  /** What the connector was handed, by id. */
  readonly connected = new Map<string, TalkConnection>();
  readonly disconnected: string[] = [];
  readonly forgotten: string[] = [];
  readonly failures: string[] = [];
  readonly ended: string[][] = [];

  private constructor(store: Store, nextcloud: StubAddon, fetches: typeof fetch) {
    this.store = store;
    this.nextcloud = nextcloud;
    const readingTime = new ReadingTime(this.clock);
    this.pairing = new TalkPairing({
      http: new PlatformHttp('Nextcloud', this.clock, 65_536, {
        fetches,
        readerOf: (origin) => readingTime.of(origin),
      }),
      rules: { isOpen: publicOr(['127.0.0.1']), allowsHttp: true },
      logins: {
        connected: (connection) => void this.connected.set(connection.id, connection),
        disconnected: (id) => {
          this.connected.delete(id);
          this.disconnected.push(id);
        },
        roomsForgotten: (id) => void this.forgotten.push(id),
        addonOff: (id, words) => this.pairing.pairings?.report(id, words),
      },
      replays: new ReplayMemory(),
      onFailure: (what, server, reason) => void this.failures.push(`${what}: ${server}: ${reason}`),
    });
  }

  static async start({
    store,
    fetches = fetch,
  }: {
    store?: Store;
    fetches?: typeof fetch;
  } = {}): Promise<PairingServer> {
    const own = store ?? (await temporaryStore());
    const server = new PairingServer(own, await StubAddon.start(), fetches);
    await server.#serve(await annAndBob(own));
    return server;
  }

  async #serve(authenticate: Awaited<ReturnType<typeof annAndBob>>): Promise<void> {
    const { store, clock, pairing } = this;
    const webhooks = pairingWebhooks(pairing);
    const connector = { platform: PLATFORM, provides: { pairing, webhooks } } as unknown as Connector;
    const oauthOnly = { platform: 'zoom', provides: {} } as unknown as Connector;
    const connectors = new Map([
      [PLATFORM, connector],
      ['zoom', oauthOnly],
    ] as const);
    this.connections = connectionsOf(store, {
      clock,
      connectors,
      publicUrl: () => this.url,
      endCalls: async (...call) => void this.ended.push(call),
      onFailure: (_platform, what, reason) => void this.failures.push(`${what}: ${reason}`),
    });
    const domain: AccountDomain = {
      store,
      clock,
      directory: new FakeDirectory(),
      traits: PLATFORM_TRAITS,
      calls: { connectors } as unknown as CallDomain,
      connections: this.connections,
      budgets: await budgetsOf(store, clock),
    };
    const visitors = {
      signIns: {
        limits: new AttemptLimits(clock, 10),
        providers: new Map([['acme', null]]),
      } as unknown as SignIns,
      publicUrl: () => this.url,
      sessionOf,
    };
    const signup = { mode: 'open', code: null } as const;
    const routes = [
      ...connectionRoutes(domain, visitors),
      ...pairingRoutes({ domain, visitors, signup, tickets: new ConsentTickets(clock) }),
      ...platformRoutes(domain),
      ...webhookRoutes([connector], new ReadingTime(systemClock)),
    ];
    const { url, failures } = await served(routes, { authenticate });
    this.url = url;
    onTestFinished(() => {
      if (failures.length > 0) throw failures[0]!.error;
    });
  }

  api(name: Name): GatewayApi {
    return new GatewayApi(this.url, `svc_acc_${name}_settings`);
  }

  /** A browser that is signed in; null: it is not. */
  browser(name: Name | null): CookieBrowser {
    const browser = new CookieBrowser();
    if (name !== null) browser.setCookie(this.url, `svc_session=ses_acc_${name}; Path=/`);
    return browser;
  }

  /** Where the addon sends its administrator. */
  askUrl(query: Readonly<Record<string, string>> = {}): string {
    const asked = { nc_state: NC_STATE, nc_url: this.nextcloud.url, origin: 'nc_admin', ...query };
    return `${this.url}/connect/${PLATFORM}?${new URLSearchParams(asked)}`;
  }

  /** The hidden fields of the page that asks. */
  async fields(name: Name, query: Readonly<Record<string, string>> = {}): Promise<Record<string, string>> {
    const page = await (await this.browser(name).get(this.askUrl(query))).text();
    const inputs = page.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g);
    return Object.fromEntries(Array.from(inputs, ([, field, value]) => [field, unescaped(value!)]));
  }

  /** Submits the page, in a session; null: without one. */
  async submit(
    name: Name | null,
    fields: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    return await fetch(`${this.url}/connect/${PLATFORM}`, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
        ...(name === null ? {} : { cookie: `svc_session=ses_acc_${name}` }),
        ...headers,
      },
      body: new URLSearchParams(fields).toString(),
    });
  }

  /** Agrees in a session, and returns where the browser is sent. */
  async agree(name: Name): Promise<URL> {
    const answer = await this.submit(name, { ...(await this.fields(name)), decision: 'connect' });
    if (answer.status !== 303) throw new Error(`${answer.status}: ${await answer.text()}`);
    return new URL(answer.headers.get('location')!);
  }

  async stateOf(name: Name): Promise<string> {
    return (await this.agree(name)).searchParams.get('state')!;
  }

  /** The addon's post of credentials. */
  async callBack(body: unknown): Promise<{ status: number; body: Record<string, unknown> }> {
    const answer = await fetch(`${this.url}/api/${PLATFORM}/callback`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  }

  /** Pairs all the way; returns the id of the connection. */
  async pair(name: Name, changes: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const { status, body } = await this.callBack(this.nextcloud.approval(await this.stateOf(name), changes));
    if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`);
    return `${body.connection_id}`;
  }

  async handOver(): Promise<void> {
    await handOverConnections(this.connections);
  }

  async rows() {
    return await this.store.db.selectFrom('connections').selectAll().orderBy('createdAt').execute();
  }
}

function unescaped(text: string): string {
  return text
    .replaceAll('&amp;', '&')
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>');
}

/** The posts about pairings alone. */
function pairingWebhooks(pairing: TalkPairing): TakesWebhooks {
  return {
    endpoints: [CALLBACK_WEBHOOK, DISABLED_WEBHOOK].map((path) => ({
      path,
      methods: ['post'],
      answers: 'json',
      bodyLimitBytes: CALLBACK_LIMIT_BYTES,
    })),
    headers: [ADDON_RANDOM, ADDON_SIGNATURE],
    refuses: () => null,
    webhook: async (request) =>
      request.endpoint === CALLBACK_WEBHOOK
        ? await pairing.callback.take(request.body)
        : pairing.addonDisabled(request),
  };
}
