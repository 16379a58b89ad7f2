import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import { PLATFORM_PORT, PROVIDER_HOST } from './attack.ts';

/** More than the network keeps: the far end is not faster than it is read. */
const MOST_UNSENT_BYTES = 1_048_576;
const BOT_ID = '100000000000000001';
const BOT = { id: BOT_ID, username: 'helper', bot: true };
const LIMIT = { total: 1_000, remaining: 1_000, reset_after: 0, max_concurrency: 1 };

/** What a platform sends once a bot is logged in: a text again and again, or control frames. */
export type Flood = { readonly text: string } | { readonly pings: true };

/** What is asked of a platform's server by HTTP. */
type Answers = (path: string, response: ServerResponse) => object | null;

/**
 * Servers in the place of Discord, Slack, Telegram and vendors of speech, where the operator's settings say that these are, which let every bot
 * in and then send as much as is read.
 */
export class HostilePlatforms {
  /** What is sent from now on. */
  flood: Flood | null = null;
  /** How `getUpdates` is answered; null: nothing is new. */
  updates: ((response: ServerResponse) => void) | null = null;
  /** How codes are exchanged for tokens. */
  tokens: ((response: ServerResponse) => void) | null = null;
  sentBytes = 0;
  readonly #server: Server = createServer();
  readonly #sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });

  static async open(): Promise<HostilePlatforms> {
    const platforms = new HostilePlatforms();
    const server = platforms.#server;
    server.on('request', ({ url = '' }, response) => {
      response.on('error', () => {});
      const answer = platforms.#answers(url, response);
      if (answer === null) return;
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify(answer));
    });
    server.on('upgrade', (request, socket, head) =>
      platforms.#sockets.handleUpgrade(request, socket, head, (opened) =>
        platforms.#open(opened, request.url ?? ''),
      ),
    );
    server.listen(PLATFORM_PORT, PROVIDER_HOST);
    await once(server, 'listening');
    return platforms;
  }

  close(): void {
    for (const socket of this.#sockets.clients) socket.terminate();
    this.#server.closeAllConnections();
    this.#server.close();
  }

  readonly #answers: Answers = (path, response) => {
    const root = `ws://${PROVIDER_HOST}:${PLATFORM_PORT}`;
    if (path.endsWith('/users/@me')) return BOT;
    if (path.endsWith('/applications/@me')) return { id: BOT_ID, flags: 0 };
    if (path.endsWith('/gateway/bot'))
      return { url: `${root}/discord`, shards: 1, session_start_limit: LIMIT };
    if (path.endsWith('/auth.test')) return { ok: true, team_id: 'T1', user_id: 'U1', user: 'helper' };
    if (path.endsWith('/apps.connections.open')) return { ok: true, url: `${root}/slack` };
    if (path.endsWith('/getMe')) return { ok: true, result: { id: 7, username: 'helper' } };
    const pours = path.endsWith('/getUpdates') ? this.updates : path.endsWith('.access') ? this.tokens : null;
    if (pours === null) return { ok: true, result: [] };
    pours(response);
    return null;
  };

  #open(socket: WebSocket, path: string): void {
    socket.on('error', () => {});
    if (path.startsWith('/slack')) socket.send(JSON.stringify({ type: 'hello' }));
    if (!path.startsWith('/discord')) return this.#pour(socket);
    socket.send(JSON.stringify({ op: 10, d: { heartbeat_interval: 45_000 } }));
    socket.once('message', () => {
      const resumeUrl = `ws://${PROVIDER_HOST}:${PLATFORM_PORT}/discord`;
      const d = { session_id: 's', resume_gateway_url: resumeUrl, user: BOT, guilds: [] };
      socket.send(JSON.stringify({ op: 0, d, s: 1, t: 'READY' }));
      this.#pour(socket);
    });
  }

  /** Sends for as long as the socket is open and read. */
  #pour(socket: WebSocket): void {
    const more = (): void => {
      if (socket.readyState !== socket.OPEN) return;
      while (this.flood !== null && socket.bufferedAmount < MOST_UNSENT_BYTES) this.#send(socket, this.flood);
      setTimeout(more, 1);
    };
    more();
  }

  #send(socket: WebSocket, flood: Flood): void {
    if ('pings' in flood) {
      for (let n = 0; n < 1_000; n++) socket.ping();
      this.sentBytes += 2_000;
    } else {
      for (let n = 0; n < 100; n++) socket.send(flood.text);
      this.sentBytes += 100 * flood.text.length;
    }
  }
}
