import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Authenticate, Principal } from '../../../src/api/auth/principal.ts';
import type { Route } from '../../../src/api/http/routing/route.ts';
import { HttpServer, type HttpServerOptions } from '../../../src/api/http/server.ts';
import { HTTP_LIBRARY } from '../../support/http-library.ts';

export const AGENT: Principal = {
  accountId: 'acc_1',
  credentialId: 'key_1',
  kind: 'agent',
  agentIds: ['agt_1'],
  platforms: null,
};
export const SETTINGS: Principal = { ...AGENT, credentialId: 'key_2', kind: 'settings' };

const authenticate: Authenticate = (credential) => {
  if (credential === 'svc_agent') return AGENT;
  return credential === 'svc_settings' ? SETTINGS : null;
};

export interface Served {
  readonly server: HttpServer;
  readonly port: number;
  readonly url: string;
  /** The errors reported as internal, with their request ids. */
  readonly failures: { error: unknown; requestId: string }[];
}

/** A server on a free port that closes with the test. */
export async function served(routes: Route[], options: Partial<HttpServerOptions> = {}): Promise<Served> {
  const failures: Served['failures'] = [];
  const server = new HttpServer({
    routes,
    sockets: [],
    authenticate,
    onError: (error, requestId) => failures.push({ error, requestId }),
    library: HTTP_LIBRARY,
    ...options,
  });
  await server.listen('127.0.0.1', 0);
  const { port } = server;
  onTestFinished(() => server.close(0));
  return { server, port, url: `http://127.0.0.1:${port}`, failures };
}

/** A raw TCP connection that records everything it receives. */
export class RawClient {
  readonly socket: Socket;
  received = '';
  isClosed = false;
  readonly #watchers = new Set<() => void>();

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.on('data', (data) => {
      this.received += data.toString('latin1');
      this.#wake();
    });
    this.socket.on('error', () => undefined);
    this.socket.on('close', () => {
      this.isClosed = true;
      this.#wake();
    });
    onTestFinished(() => {
      this.socket.destroy();
    });
  }

  write(text: string | Uint8Array): this {
    this.socket.write(text);
    return this;
  }

  /** Resolves with everything received once the condition holds. */
  until(condition: (client: this) => boolean): Promise<string> {
    return new Promise((resolve) => {
      const check = () => {
        if (!condition(this)) return;
        this.#watchers.delete(check);
        resolve(this.received);
      };
      this.#watchers.add(check);
      check();
    });
  }

  closed(): Promise<string> {
    return this.until((client) => client.isClosed);
  }

  #wake(): void {
    for (const watcher of this.#watchers) watcher();
  }
}

/** Resolves once the condition holds; polls every few milliseconds. */
export async function eventually(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}
