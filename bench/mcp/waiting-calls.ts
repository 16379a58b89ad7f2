import { connect, type Socket } from 'node:net';
import type { Gateway } from '../../test/support/gateway.ts';
import { headersOf } from './account-call.ts';

/** More of one credential may not wait. */
const PER_KEY = 100;

/** Calls of `svc_inbox` with `wait: 55`, each on its own connection. Each answer is followed by a new call. */
export class WaitingCalls {
  readonly #sockets: Socket[] = [];

  /** As many as the keys may have. */
  static start(gateway: Gateway, keys: readonly string[]): WaitingCalls {
    const calls = new WaitingCalls();
    for (const key of keys) for (let i = 0; i < PER_KEY; i++) calls.#open(gateway.httpPort, key);
    return calls;
  }

  stop(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #open(port: number, key: string): void {
    const request = waitingRequest(key);
    const socket = connect(port, '127.0.0.1', () => socket.write(request));
    socket.on('error', () => undefined);
    // The last bytes of an answer, whole or in pieces.
    socket.on('data', (data) => {
      if (data.toString('latin1').endsWith('}\n\n') || data.toString('latin1').endsWith('0\r\n\r\n'))
        socket.write(request);
    });
    this.#sockets.push(socket);
  }
}

function waitingRequest(key: string): string {
  const args = { last_message_cursor: '2030-01-01', wait: 55 };
  const params = { name: 'svc_inbox', arguments: args };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const headers = { host: '127.0.0.1', ...headersOf(key), 'content-length': `${body.length}` };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return `POST /mcp HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** Creates keys for this many calls, each for its own agent. */
export async function keysFor(gateway: Gateway, calls: number): Promise<string[]> {
  const keys: string[] = [];
  while (keys.length * PER_KEY < calls) keys.push(await newKey(gateway, keys.length));
  return keys;
}

async function newKey({ settingsApi }: Gateway, n: number): Promise<string> {
  const { id } = (await settingsApi.post('/api/agents', { name: `Waits ${n}` })).body;
  const minted = (await settingsApi.post(`/api/agents/${id}/keys`, { name: 'waits' })).body;
  return `${Object.values<unknown>(minted).find((value) => /^svc_[\w-]{40,}$/.test(`${value}`))}`;
}
