import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { PUBLIC, withOverrides } from '@microsoft/teams.api';
import { App } from '@microsoft/teams.apps';
import { ConsoleLogger } from '@microsoft/teams.common';
import type { FakeTeams } from '../../fakes/teams/fake-teams.ts';

type Adapter = NonNullable<NonNullable<ConstructorParameters<typeof App>[0]>['httpServerAdapter']>;
type Handler = Parameters<Adapter['registerRoute']>[2];

/** Microsoft's own SDK as the bot of a fake Teams: it verifies tokens and writes answers itself. */
export async function sdkApp(teams: FakeTeams): Promise<{ readonly app: App; close(): Promise<void> }> {
  const { bot, origin } = teams;
  let handler: Handler | null = null;
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  serve(server, () => handler);
  const cloud = withOverrides(PUBLIC, {
    loginEndpoint: origin,
    openIdMetadataUrl: `${origin}/v1/.well-known/openidconfiguration`,
  });
  const app = new App({
    clientId: bot.appId,
    tenantId: bot.tenantId,
    // The SDK's own client of the login endpoint wants https.
    token: async (scope) => await tokenOf(teams, `${scope}`),
    cloud,
    serviceUrl: teams.serviceUrl,
    logger: new ConsoleLogger('teams', { level: 'error' }),
    httpServerAdapter: {
      registerRoute: (_method, path, route) => {
        if (path === '/api/messages') handler = route;
      },
    },
  });
  await app.initialize();
  teams.delivery.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/messages`;
  return {
    app,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function serve(server: Server, handler: () => Handler | null): void {
  server.on('request', async (request, response) => {
    const route = handler();
    const headers = request.headers as Record<string, string>;
    const body = JSON.parse(await text(request)) as unknown;
    const { status, body: answer } = (await route?.({ body, headers })) ?? { status: 404 };
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? {}));
  });
}

async function tokenOf({ origin, bot }: FakeTeams, scope: string): Promise<string> {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: bot.appId,
    client_secret: bot.secret,
    scope,
  });
  const answer = await fetch(`${origin}/${bot.tenantId}/oauth2/v2.0/token`, { method: 'POST', body });
  return ((await answer.json()) as { access_token: string }).access_token;
}
