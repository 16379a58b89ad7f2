import { CookieBrowser } from '../support/browser-cookies.ts';
import { Gateway, type GatewayOptions } from '../support/gateway.ts';
import type { Answer } from '../support/gateway-api.ts';
import { waitFor } from '../support/wait-for.ts';
import { PLATFORM } from './platform.ts';
import type { Account } from './server/accounts.ts';
import { LoopbackVendor } from './server/loopback-vendor.ts';

const ENTRY = new URL('./main.ts', import.meta.url);

/** A bot at the vendor that the gateway has registered. */
export interface RegisteredBot {
  readonly account: Account;
  /** Id of the bot token at the gateway. */
  readonly id: string;
}

/** The vendor and a gateway process with the loopback platform. */
export class LoopbackWorld {
  readonly vendor: LoopbackVendor;
  readonly gateway: Gateway;

  private constructor(vendor: LoopbackVendor, gateway: Gateway) {
    this.vendor = vendor;
    this.gateway = gateway;
  }

  static async start(options: GatewayOptions = {}): Promise<LoopbackWorld> {
    const vendor = await LoopbackVendor.start();
    const { authorization, baseUrl } = vendor;
    const gateway = await Gateway.start({
      entry: ENTRY,
      ...options,
      env: {
        LOOPBACK_VENDOR_URL: baseUrl,
        LOOPBACK_AUTHORIZATION_URL: authorization.url,
        LOOPBACK_CLIENT_ID: authorization.clientId,
        LOOPBACK_CLIENT_SECRET: authorization.clientSecret,
        ...options.env,
      },
    });
    gateway.secrets.add(authorization.clientSecret);
    authorization.allow(`${gateway.baseUrl}/api/oauth/${PLATFORM}/callback`);
    return new LoopbackWorld(vendor, gateway);
  }

  async stop(): Promise<void> {
    await this.gateway.stop();
    await this.vendor.stop();
  }

  /** Makes a bot at the vendor and registers it at the gateway, for the default agent. */
  async bot(name: string): Promise<RegisteredBot> {
    const { account, token } = this.vendor.accounts.bot(name);
    this.gateway.secrets.add(token);
    const { body } = await this.registerBot(token);
    if (body.status !== 'ok') throw new Error(`POST bot-tokens: ${JSON.stringify(body)}`);
    await this.works(body.id);
    return { account, id: body.id };
  }

  registerBot(token: string): Promise<Answer> {
    return this.gateway.settingsApi.post('/api/bot-tokens', {
      platform: PLATFORM,
      bot_token: token,
      discord_app_id: '1',
    });
  }

  /** Connects a person's account by OAuth, as its owner does in a browser. Returns the connection's id. */
  async connect(person: Account): Promise<string> {
    const before = new Set((await this.accounts()).map(({ id }) => id));
    const page = await this.consent(person);
    if (page.status !== 200) throw new Error(`the callback answered ${page.status}: ${await page.text()}`);
    const made = (await this.accounts()).find(({ type, id }) => type === 'connection' && !before.has(id));
    if (made === undefined) throw new Error('no connection was made');
    await this.works(made.id);
    return made.id;
  }

  /** Waits until a login receives events. */
  async works(id: string): Promise<void> {
    await waitFor(`${id} to work`, async () => (await this.statusOf(id)) === 'ok');
  }

  async statusOf(id: string): Promise<string | undefined> {
    return (await this.accounts()).find((each) => each.id === id)?.status;
  }

  /** Goes through the consent of the vendor, back to the gateway, and confirms there. Returns its last page. */
  async consent(person: Account, body: object = {}, api = this.gateway.settingsApi): Promise<Response> {
    this.vendor.authorization.visitor = person;
    const started = await api.post(`/api/oauth/start/${PLATFORM}`, body);
    if (started.status !== 200) throw new Error(`start: ${started.status} ${JSON.stringify(started.body)}`);
    const callback = `/api/oauth/${PLATFORM}/callback`;
    const browser = new CookieBrowser();
    const back = await browser.goUntil(started.body.authorize_url, ({ pathname }) => pathname === callback);
    const question = await fetch(back);
    if (question.status !== 200) return question;
    await question.text();
    return await fetch(back, {
      method: 'POST',
      headers: { 'sec-fetch-site': 'same-origin' },
      redirect: 'manual',
    });
  }

  /** The logins of the account at the loopback platform. */
  async accounts(): Promise<{ type: string; id: string; label: string; status: string }[]> {
    return (await this.platform()).accounts;
  }

  /** The platform as GET /api/platforms lists it. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads the fields it needs and asserts on them
  async platform(): Promise<any> {
    const { platforms } = (await this.gateway.settingsApi.get('/api/platforms')).body;
    return platforms.find(({ platform }: { platform: string }) => platform === PLATFORM);
  }
}
