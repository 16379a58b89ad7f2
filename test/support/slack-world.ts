import { FakeSlack } from '../fakes/slack/fake-slack.ts';
import type { Visitor } from '../fakes/slack/oauth/authorization.ts';
import type { FakeApp, Installation } from '../fakes/slack/world/fake-app.ts';
import { CookieBrowser } from './browser-cookies.ts';
import { Gateway, type GatewayOptions } from './gateway.ts';
import { waitFor } from './wait-for.ts';

const CALLBACK = '/api/slack/callback';

/** A fake Slack, and a gateway with an app there that all accounts share. */
export class SlackWorld {
  readonly slack: FakeSlack;
  readonly app: FakeApp;
  readonly gateway: Gateway;

  private constructor(slack: FakeSlack, app: FakeApp, gateway: Gateway) {
    this.slack = slack;
    this.app = app;
    this.gateway = gateway;
  }

  static async start(options: GatewayOptions = {}, retryDelays?: readonly number[]): Promise<SlackWorld> {
    const slack = await FakeSlack.start(retryDelays === undefined ? {} : { retryDelays });
    const app = slack.addApp('Shared');
    const env = { ...slack.settings, ...SlackWorld.settingsOf(app), ...options.env };
    const gateway = await Gateway.start({ ...options, env });
    for (const secret of [app.clientSecret, app.signingSecret]) gateway.secrets.add(secret);
    app.redirectUrls.add(`${gateway.baseUrl}${CALLBACK}`);
    await app.delivery.subscribe(`${gateway.baseUrl}/api/slack/webhook`);
    return new SlackWorld(slack, app, gateway);
  }

  static settingsOf({ clientId, clientSecret, signingSecret }: FakeApp) {
    return {
      SVC_SLACK_CLIENT_ID: clientId,
      SVC_SLACK_CLIENT_SECRET: clientSecret,
      SVC_SLACK_SIGNING_SECRET: signingSecret,
    };
  }

  async stop(): Promise<void> {
    await this.gateway.stop();
    await this.slack.stop();
  }

  /** Starts installing and goes through Slack's consent. Returns the URL that Slack sends the browser to. */
  async back(visitor: Visitor, body: object = {}, api = this.gateway.settingsApi): Promise<URL> {
    const started = await api.post('/api/slack/install', body);
    if (started.status !== 200) throw new Error(`install: ${started.status} ${JSON.stringify(started.body)}`);
    this.slack.authorization.visitor = visitor;
    return await new CookieBrowser().goUntil(
      started.body.authorize_url,
      ({ pathname }) => pathname === CALLBACK,
    );
  }

  /** Opens the page that Slack sends the browser to, and confirms there. */
  async finish(back: URL): Promise<Response> {
    const question = await fetch(back);
    if (question.status !== 200) return question;
    await question.text();
    const headers = { 'sec-fetch-site': 'same-origin' };
    return await fetch(back, { method: 'POST', headers, redirect: 'manual' });
  }

  /** Installs the app. Returns the installation and the id of the connection. */
  async install(
    visitor: Visitor,
    body: object = {},
    api = this.gateway.settingsApi,
  ): Promise<{ readonly id: string; readonly installation: Installation }> {
    const page = await this.finish(await this.back(visitor, body, api));
    if (page.status !== 200) throw new Error(`the callback answered ${page.status}: ${await page.text()}`);
    const installation = this.installationOf(visitor);
    this.gateway.secrets.add(installation.token);
    const { workspace, isOrgWide } = visitor;
    const { name } = (isOrgWide ? workspace.enterprise : workspace) ?? workspace;
    const made = (await this.accounts(api)).find(({ label }) => label === name);
    if (!made) throw new Error('no connection was made');
    await waitFor(`${name} to work`, () => this.slack.calls.includes('auth.test'));
    return { id: made.id, installation };
  }

  installationOf({ workspace, isOrgWide = false }: Visitor): Installation {
    return this.app.installations.findLast(
      (each) => each.workspace === workspace && each.isOrgWide === isOrgWide,
    )!;
  }

  async accounts(
    api = this.gateway.settingsApi,
  ): Promise<{ type: string; id: string; label: string; status: string }[]> {
    const { platforms } = (await api.get('/api/platforms')).body;
    return platforms.find(({ platform }: { platform: string }) => platform === 'slack').accounts;
  }

  async statusOf(id: string, api = this.gateway.settingsApi): Promise<string | undefined> {
    return (await this.accounts(api)).find((each) => each.id === id)?.status;
  }
}
