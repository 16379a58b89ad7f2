import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import type { Principal } from '../../../src/api/auth/principal.ts';
import { callRoutes } from '../../../src/api/rest/calls.ts';
import { fileRoutes } from '../../../src/api/rest/files.ts';
import { inboxRoutes } from '../../../src/api/rest/inbox.ts';
import { OpenStreams } from '../../../src/api/stream/open-streams.ts';
import { inboxStreamRoute, streamRoute } from '../../../src/api/stream/stream-routes.ts';
import { WasmOpus } from '../../../src/audio/opus-wasm.ts';
import { listedFiles } from '../../../src/files/listed-attachments.ts';
import type { Reading } from '../../../src/messaging/inbox/inbox-view.ts';
import type { AnyJson } from '../../support/any-json.ts';
import { GatewayApi } from '../../support/gateway-api.ts';
import { waitFor } from '../../support/wait-for.ts';
import { MeetingWorld, PUBLIC_URL } from '../calls/meeting-world.ts';
import { waitersOf } from '../messaging/waiters-of.ts';
import { served } from './served.ts';

/** Meetings on a real server. `svc_a` and `svc_b` are the keys of the agents of two accounts. */
export async function meetingServer() {
  const world = await MeetingWorld.open();
  const { domain, files, store, clock, wakeups } = world;
  const keyOf = (name: 'a' | 'b'): Principal => ({
    ...world.scope(name),
    kind: 'agent',
    credentialId: `key_${name}`,
  });
  const keys = new Map([
    ['svc_a', keyOf('a')],
    ['svc_b', keyOf('b')],
  ]);
  const authenticate = (credential: string | null): Principal | null => keys.get(credential ?? '') ?? null;
  const publicUrl = () => PUBLIC_URL;
  const reading: Reading = {
    store,
    clock,
    attachments: async () => new Map(),
    files: (ids) => listedFiles(files, PUBLIC_URL, ids),
  };
  const waiters = waitersOf({ reading, wakeups, clock, store });
  const streams = new OpenStreams();
  const failures: unknown[] = [];
  const onFailure = (error: unknown) => void failures.push(error);
  const routes = [
    ...callRoutes(domain, files, publicUrl),
    ...fileRoutes(files, publicUrl),
    ...inboxRoutes({ ...reading, waiters }),
  ];
  const server = await served(routes, {
    authenticate,
    sockets: [
      streamRoute({ calls: domain, opus: () => new WasmOpus() }, authenticate, streams, () => {}),
      inboxStreamRoute({ reading, wakeups, onFailure }, authenticate, streams, () => {}),
    ],
  });
  // Before the server closes, which would otherwise wait for them.
  onTestFinished(() => waiters.close());
  const listen = (path: string, key: string) =>
    Frames.open(`ws://127.0.0.1:${server.port}${path}?api_key=${key}`);
  return {
    world,
    failures: server.failures,
    a: new GatewayApi(server.url, 'svc_a'),
    b: new GatewayApi(server.url, 'svc_b'),
    onCall: (callId: string, key = 'svc_a') => listen(`/api/call/${callId}/stream`, key),
    onInbox: (key = 'svc_a') => listen('/api/inbox/stream', key),
  };
}

/** A WebSocket that records the JSON it receives. */
export class Frames {
  readonly all: AnyJson[] = [];
  readonly socket: WebSocket;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data, isBinary) => {
      if (!isBinary) this.all.push(JSON.parse(`${data}`));
    });
    onTestFinished(() => socket.terminate());
  }

  static async open(url: string): Promise<Frames> {
    const socket = new WebSocket(url);
    const frames = new Frames(socket);
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    await frames.count(1);
    return frames;
  }

  send(message: unknown): void {
    this.socket.send(JSON.stringify(message));
  }

  /** All frames, once there are at least this many. */
  async count(least: number): Promise<AnyJson[]> {
    return await waitFor(`${least} frames`, () => this.all.length >= least && this.all);
  }

  /** The first frame of a type. */
  async of(type: string): Promise<AnyJson> {
    return await waitFor(type, () => this.all.find((frame) => frame.type === type));
  }
}
