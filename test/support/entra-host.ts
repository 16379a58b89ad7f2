import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** Whom Entra ID issues tokens to, each by a fake with its own origin. */
interface Issuers {
  readonly applications: string;
  readonly people: string;
}

/** The login endpoint of Entra ID, one host for applications and people. */
export class EntraHost {
  readonly #server: Server;
  readonly #issuers: Issuers;

  private constructor(server: Server, issuers: Issuers) {
    this.#server = server;
    this.#issuers = issuers;
    server.on('request', (request, response) => void this.#pass(request, response));
  }

  static async start(issuers: Issuers): Promise<EntraHost> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new EntraHost(server, issuers);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '/' } = request;
    const body = await text(request);
    const isOfApplication = new URLSearchParams(body).get('grant_type') === 'client_credentials';
    const { applications, people } = this.#issuers;
    const answer = await fetch(`${isOfApplication ? applications : people}${url}`, {
      method,
      redirect: 'manual',
      ...(method === 'POST' && { body, headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
    });
    const location = answer.headers.get('location');
    response.writeHead(answer.status, {
      'content-type': 'application/json',
      ...(location !== null && { location }),
    });
    response.end(await answer.text());
  }
}
