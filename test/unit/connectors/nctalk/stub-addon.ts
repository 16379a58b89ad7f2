import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { isSignedByAddon } from '../../../../src/connectors/nctalk/pairing/addon-signature.ts';

const APP = 'chamade_talk';

/**
 * As much of a Nextcloud as a pairing asks: its own user endpoint, and the addon's API. It ends with the test. The fake
 * Nextcloud is the strict one; this one can answer anything.
 */
export class StubAddon {
  readonly url: string;
  readonly apiSecret = randomBytes(32).toString('hex');
  /** Passwords by the logins of the bots. */
  readonly bots = new Map<string, string>();
  /** All requests, as method and path. */
  readonly asked: string[] = [];
  rooms: Record<string, string> = {};
  /** Answers in place of the usual, by path; or first waits. */
  instead: ((path: string, response: ServerResponse) => boolean | Promise<boolean>) | null = null;

  private constructor(port: number) {
    this.url = `http://127.0.0.1:${port}`;
  }

  static async start(): Promise<StubAddon> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const stub = new StubAddon((server.address() as AddressInfo).port);
    server.on('request', (request, response) => void stub.#answer(request, response));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return stub;
  }

  /** Makes a bot, and returns what the addon posts about it. */
  approval(state: string, changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
    const login = `chamade-bot-${randomBytes(4).toString('hex')}`;
    this.bots.set(login, 'Pa55word!');
    return {
      state,
      nc_url: this.url,
      bot_login: login,
      bot_password: 'Pa55word!',
      api_secret: this.apiSecret,
      app_id: APP,
      nc_username: 'olga',
      capabilities: ['unified_send'],
      e2ee_schemes: [],
      ...changes,
    };
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', this.url);
    this.asked.push(`${request.method} ${pathname}`);
    if (await this.instead?.(pathname, response)) return;
    const [status, body] = this.#usual(request, pathname);
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  }

  #usual({ method, headers }: IncomingMessage, path: string): [number, unknown] {
    if (path === '/ocs/v2.php/cloud/user') return this.#user(headers.authorization ?? '');
    const [, app, rest = ''] = /^\/apps\/(\w+)\/api\/v1\/(.*)$/.exec(path) ?? [];
    if (app !== APP) return [404, null];
    if (!isSignedByAddon(this.apiSecret, (name) => `${headers[name] ?? ''}`))
      return [403, { error: 'Invalid HMAC' }];
    const bot = /^bot-users\/([^/]+)$/.exec(rest)?.[1];
    if (method === 'DELETE' && bot !== undefined)
      return this.bots.delete(bot) ? [200, { status: 'ok' }] : [404, { error: 'User not found' }];
    if (method === 'POST' && rest.endsWith('/avatar')) return [200, { status: 'ok' }];
    if (rest === 'authorized-rooms') return [200, { authorized_rooms: this.rooms }];
    return rest === 'config' ? [200, { hpb_url: '', stun_servers: [], turn_servers: [] }] : [404, null];
  }

  #user(authorization: string): [number, unknown] {
    const [, given = ''] = /^Basic (.*)$/.exec(authorization) ?? [];
    const [login = '', password = ''] = Buffer.from(given, 'base64').toString('utf8').split(':');
    const isRight = password !== '' && this.bots.get(login) === password;
    const meta = isRight
      ? { status: 'ok', statuscode: 200, message: 'OK' }
      : { status: 'failure', statuscode: 997, message: 'Current user is not logged in' };
    return [isRight ? 200 : 401, { ocs: { meta, data: isRight ? { id: login } : [] } }];
  }
}
