import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import type { Principal } from '../../../src/api/auth/principal.ts';
import { inboxRoutes } from '../../../src/api/rest/inbox.ts';
import { OpenStreams } from '../../../src/api/stream/open-streams.ts';
import { inboxStreamRoute } from '../../../src/api/stream/stream-routes.ts';
import type { AnyJson } from '../../support/any-json.ts';
import { GatewayApi } from '../../support/gateway-api.ts';
import { waitFor } from '../../support/wait-for.ts';
import { messagingWorld } from '../messaging/messaging-world.ts';
import { waitersOf } from '../messaging/waiters-of.ts';
import { served } from './served.ts';

/** The inbox of a world on a real server; `svc_agent` is the key of its agent, `svc_other` one of another account. */
export async function inboxServer() {
  const world = await messagingWorld();
  const { reading, wakeups, scope } = world;
  const waiters = waitersOf(world);
  const streams = new OpenStreams();
  const principal: Principal = { ...scope, kind: 'agent', credentialId: 'key_1' };
  /** Another key of the same account: `svc_agent_2` and so on. */
  const further = (n: string): Principal => ({ ...principal, credentialId: `key_further_${n}` });
  const other: Principal = { ...principal, accountId: 'acc_b', credentialId: 'key_2', agentIds: ['agt_b'] };
  const authenticate = (credential: string | null): Principal | null => {
    if (credential === 'svc_agent') return principal;
    const [, n] = /^svc_agent_(\d+)$/.exec(credential ?? '') ?? [];
    if (n !== undefined) return further(n);
    return credential === 'svc_other' ? other : null;
  };
  const failures: unknown[] = [];
  const refusals = { count: 0 };
  const onFailure = (error: unknown) => void failures.push(error);
  const server = await served(inboxRoutes({ ...reading, waiters }), {
    authenticate,
    sockets: [
      inboxStreamRoute({ reading, wakeups, onFailure }, authenticate, streams, () => {
        refusals.count += 1;
      }),
    ],
  });
  // Before the server closes, which would otherwise wait for them.
  onTestFinished(() => waiters.close());
  return {
    world,
    waiters,
    streams,
    failures,
    refusals,
    port: server.port,
    api: new GatewayApi(server.url, 'svc_agent'),
    other: new GatewayApi(server.url, 'svc_other'),
    listen: (query = '', key = 'svc_agent') => Listener.open(server.port, `api_key=${key}${query}`),
  };
}

/** A client of the inbox WebSocket that records what it receives. */
export class Listener {
  readonly frames: AnyJson[] = [];
  readonly socket: WebSocket;
  /** The close code and reason, once it is closed. */
  closed: { readonly code: number; readonly reason: string } | null = null;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data) => this.frames.push(JSON.parse(`${data}`)));
    socket.on('close', (code, reason) => {
      this.closed = { code, reason: `${reason}` };
    });
    onTestFinished(() => socket.terminate());
  }

  /** Resolves on the first frame; rejects with the status of a refused handshake. */
  static async open(port: number, query: string): Promise<Listener> {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/api/inbox/stream?${query}`);
    const listener = new Listener(socket);
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', () => {});
      socket.once('unexpected-response', (_request, { statusCode }) => reject(new Error(`${statusCode}`)));
    });
    await listener.heard(1);
    return listener;
  }

  /** All frames, once there are at least this many. */
  async heard(count: number): Promise<Listener['frames']> {
    await waitFor(`${count} frames`, () => this.frames.length >= count);
    return this.frames;
  }
}
