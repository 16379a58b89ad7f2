import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

const USER = { id: '100000000000000001', username: 'helper', bot: true };

/** An HTTP and WebSocket server in Discord's place that accepts every bot, and then says what a test wants. */
export class HostileGateway {
  readonly #server: Server;
  readonly #sockets = new WebSocketServer({ noServer: true });
  readonly #says: (socket: WebSocket, n: number) => void;
  /** Connections so far. */
  connections = 0;
  /** What bots have sent over WebSockets. */
  readonly heard: string[] = [];
  /** Where bots are sent to; the URL of this server when null. */
  gatewayUrl: string | null = null;

  private constructor(server: Server, says: (socket: WebSocket, n: number) => void) {
    this.#server = server;
    this.#says = says;
    server.on('request', ({ url }, response) => {
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify(this.#answer(url ?? '')));
    });
    server.on('upgrade', (request, socket, head) =>
      this.#sockets.handleUpgrade(request, socket, head, (opened) => this.#open(opened)),
    );
  }

  /** `says`: called for each connection, the first with 0. */
  static async start(says: (socket: WebSocket, n: number) => void): Promise<HostileGateway> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new HostileGateway(server, says);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets.clients) socket.terminate();
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  #open(socket: WebSocket): void {
    socket.on('error', () => undefined);
    socket.on('message', (data) => this.heard.push(`${data}`));
    this.#says(socket, this.connections++);
  }

  #answer(path: string): object {
    if (path.endsWith('/users/@me')) return USER;
    if (path.endsWith('/applications/@me')) return { id: USER.id, flags: 0 };
    const limit = { total: 1_000, remaining: 1_000, reset_after: 0, max_concurrency: 1 };
    return { url: this.gatewayUrl ?? this.url.replace('http', 'ws'), shards: 1, session_start_limit: limit };
  }
}

const payload = (op: number, d: unknown, more: object = {}) => JSON.stringify({ op, d, ...more });

/** What a gateway says in the beginning, with a sane interval of heartbeats. */
export const HELLO = payload(10, { heartbeat_interval: 45_000 });

export function ready(url: string): string {
  const d = { session_id: 'a-session', resume_gateway_url: url, user: USER, guilds: [] };
  return payload(0, d, { s: 1, t: 'READY' });
}

export function event(s: number, t: string, d: unknown): string {
  return payload(0, d, { s, t });
}
