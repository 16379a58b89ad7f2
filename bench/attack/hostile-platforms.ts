import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { PLATFORM_PORT, PROVIDER_HOST } from './attack.ts';

/** More than the network keeps: the far end is not faster than it is read. */
const MOST_UNSENT_BYTES = 262_144;
const BLOCK_BYTES = 65_536;
const LOOK_MS = 2;
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
  /** Requests that were answered by `updates` or `tokens`. */
  asked = 0;
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
        platforms.#open(opened, socket, request.url ?? ''),
      ),
    );
    server.listen(PLATFORM_PORT, PROVIDER_HOST);
    await once(server, 'listening');
    return platforms;
  }

  /** WebSockets that are open. */
  get connections(): number {
    return this.#sockets.clients.size;
  }

  /** Ends all WebSockets. */
  hangUp(): void {
    for (const socket of this.#sockets.clients) socket.terminate();
  }

  close(): void {
    this.hangUp();
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
    this.asked += 1;
    pours(response);
    return null;
  };

  #open(socket: WebSocket, connection: Duplex, path: string): void {
    socket.on('error', () => {});
    if (path.startsWith('/slack')) socket.send(JSON.stringify({ type: 'hello' }));
    if (!path.startsWith('/discord')) return this.#pour(connection);
    socket.send(JSON.stringify({ op: 10, d: { heartbeat_interval: 45_000 } }));
    socket.once('message', () => {
      const resumeUrl = `ws://${PROVIDER_HOST}:${PLATFORM_PORT}/discord`;
      const d = { session_id: 's', resume_gateway_url: resumeUrl, user: BOT, guilds: [] };
      socket.send(JSON.stringify({ op: 0, d, s: 1, t: 'READY' }));
      this.#pour(connection);
    });
  }

  /** Sends for as long as the connection is open, as fast as it is read. */
  #pour(connection: Duplex): void {
    const more = (): void => {
      if (connection.destroyed) return;
      const { flood } = this;
      if (flood === null || !this.#write(connection, flood)) setTimeout(more, LOOK_MS);
      else setImmediate(more);
    };
    more();
  }

  /** Returns whether more may be written at once. */
  #write(connection: Duplex, flood: Flood): boolean {
    if (connection.writableLength > MOST_UNSENT_BYTES) return false;
    const block = blockOf(flood);
    this.sentBytes += block.length;
    return connection.write(block);
  }
}

/** Many frames at once: the library would take longer to send them than the gateway to read them. */
const blockOf = memoized((flood: Flood): Buffer => {
  const frame = 'pings' in flood ? Buffer.from([0x89, 0]) : textFrame(Buffer.from(flood.text));
  return Buffer.concat(Array(Math.max(1, Math.floor(BLOCK_BYTES / frame.length))).fill(frame));
});

function textFrame(payload: Buffer): Buffer {
  const { length } = payload;
  const head =
    length < 126 ? Buffer.from([0x81, length]) : Buffer.from([0x81, 126, length >> 8, length & 0xff]);
  return Buffer.concat([head, payload]);
}

function memoized<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new WeakMap<Key, Value>();
  return (key) => {
    const value = made.get(key) ?? make(key);
    made.set(key, value);
    return value;
  };
}
