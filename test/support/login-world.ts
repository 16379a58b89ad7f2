import { type Connections, openConnections } from '../../src/accounts/connections/connections.ts';
import { ReadingTime } from '../../src/base/reading-time.ts';
import { systemClock } from '../../src/base/time.ts';
import type { Connector } from '../../src/connectors/contract/connector.ts';
import { meetConnector } from '../../src/connectors/meet/meet-connector.ts';
import { teamsConnector } from '../../src/connectors/teams/teams-connector.ts';
import { zoomConnector } from '../../src/connectors/zoom/zoom-connector.ts';
import type { Store } from '../../src/store/store.ts';
import { startGoogleLogin } from '../fakes/logins/google-login.ts';
import type { LoginVendor } from '../fakes/logins/login-vendor.ts';
import { type Administrator, startMicrosoftLogin } from '../fakes/logins/microsoft-login.ts';
import { startZoomLogin } from '../fakes/logins/zoom-login.ts';
import type { AnyJson } from './any-json.ts';
import { Gateway } from './gateway.ts';
import type { Answer } from './gateway-api.ts';
import { NO_SIP } from './no-sip.ts';
import type { Person } from './person.ts';
import { IDLE_TEAMS } from './teams-deps.ts';

export const LOGIN_PLATFORMS = ['teams', 'meet', 'zoom'] as const;
export type LoginPlatform = (typeof LOGIN_PLATFORMS)[number];

/** A gateway process that is set up at Microsoft, Google and Zoom, each a strict fake. */
export class LoginWorld {
  readonly gateway: Gateway;
  readonly vendors: Readonly<Record<LoginPlatform, LoginVendor>>;
  /** Whoever approves at Microsoft. */
  readonly administrator: Administrator;
  /** Scopes that people do not grant at Google. */
  readonly unticked: Set<string>;

  private constructor(fields: Pick<LoginWorld, 'gateway' | 'vendors' | 'administrator' | 'unticked'>) {
    this.gateway = fields.gateway;
    this.vendors = fields.vendors;
    this.administrator = fields.administrator;
    this.unticked = fields.unticked;
  }

  static async start(): Promise<LoginWorld> {
    const administrator: Administrator = { tenant: null, error: null };
    const unticked = new Set<string>();
    const vendors = {
      teams: await startMicrosoftLogin(administrator),
      meet: await startGoogleLogin(unticked),
      zoom: await startZoomLogin(),
    };
    const gateway = await Gateway.start({
      env: { SVC_SIGNUP: 'open', SVC_LOGIN_ATTEMPTS: '100000', ...settingsFor(vendors) },
    });
    for (const platform of LOGIN_PLATFORMS) {
      const { redirectUris, clientSecret } = vendors[platform];
      redirectUris.add(`${gateway.baseUrl}/api/oauth/${platform}/callback`);
      gateway.secrets.add(clientSecret);
    }
    vendors.teams.redirectUris.add(`${gateway.baseUrl}/api/oauth/teams-admin-consent/callback`);
    return new LoginWorld({ gateway, vendors, administrator, unticked });
  }

  async stop(): Promise<void> {
    for (const { issued } of Object.values(this.vendors))
      for (const secret of issued) this.gateway.secrets.add(secret);
    await this.gateway.stop();
    await Promise.all(Object.values(this.vendors).map((vendor) => vendor.stop()));
  }

  /** Starts connecting in a session and signs in at the vendor. Returns the path that it sends the browser back to. */
  async comeBack(person: Person, platform: string, body: unknown = null): Promise<string> {
    const { status, body: started } = await person.request('POST', `/api/oauth/start/${platform}`, body);
    if (status !== 200) throw new Error(`start: ${status} ${JSON.stringify(started)}`);
    return await this.follow(started.authorize_url);
  }

  /** Goes to a vendor, which sends the browser back at once. Returns the path at the gateway. */
  async follow(vendorUrl: string): Promise<string> {
    const answer = await fetch(vendorUrl, { redirect: 'manual' });
    const location = answer.headers.get('location');
    if (location === null) throw new Error(`the vendor answers ${answer.status}: ${await answer.text()}`);
    return location.slice(this.gateway.baseUrl.length);
  }

  /** Connects all the way. Returns the last answer. */
  async connect(person: Person, platform: LoginPlatform, body: unknown = null): Promise<Answer> {
    return await person.visit(await this.comeBack(person, platform, body));
  }

  /** The person's logins at a platform, as the API shows them. */
  async logins(person: Person, platform: LoginPlatform): Promise<AnyJson[]> {
    return (await this.platform(person, platform)).accounts;
  }

  async platform(person: Person, platform: LoginPlatform): Promise<AnyJson> {
    const { body } = await person.request('GET', '/api/platforms');
    return body.platforms.find((each: { platform: string }) => each.platform === platform);
  }
}

/** The gateway's connections in this process, over its database, once the gateway is gone. */
export function connectionsAfter({ vendors }: LoginWorld, store: Store): Connections {
  const { teams, meet, zoom } = vendors;
  const connectors: Connector[] = [
    teamsConnector(
      {
        cloud: 'public',
        loginUrl: teams.url,
        graphUrl: null,
        tenant: 'organizations',
        application: teams,
        bot: null,
      },
      IDLE_TEAMS,
    ),
    meetConnector(
      { loginUrl: meet.url, apiUrl: null, client: meet },
      { clock: systemClock, sip: NO_SIP, log: () => undefined },
    ),
    zoomConnector(
      { urls: { login: zoom.url, api: `${zoom.url}/v2` }, app: zoom, dialIn: null, webhookSecret: null },
      { clock: systemClock, readingTime: new ReadingTime(systemClock), sip: NO_SIP, log: () => undefined },
    ),
  ];
  return openConnections({
    store,
    clock: systemClock,
    connectors: new Map(connectors.map((connector) => [connector.platform, connector])),
    publicUrl: () => '',
    wake: () => undefined,
    endCalls: async () => undefined,
    onFailure: () => undefined,
  });
}

function settingsFor({ teams, meet, zoom }: LoginWorld['vendors']): Record<string, string> {
  return {
    SVC_TEAMS_CLIENT_ID: teams.clientId,
    SVC_TEAMS_CLIENT_SECRET: teams.clientSecret,
    SVC_TEAMS_LOGIN_URL: teams.url,
    SVC_MEET_CLIENT_ID: meet.clientId,
    SVC_MEET_CLIENT_SECRET: meet.clientSecret,
    SVC_MEET_LOGIN_URL: meet.url,
    SVC_ZOOM_CLIENT_ID: zoom.clientId,
    SVC_ZOOM_CLIENT_SECRET: zoom.clientSecret,
    SVC_ZOOM_LOGIN_URL: zoom.url,
    SVC_ZOOM_API_URL: `${zoom.url}/v2`,
  };
}
