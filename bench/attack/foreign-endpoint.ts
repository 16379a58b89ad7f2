import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { PROVIDER_HOST } from './attack.ts';
import type { Tenant } from './member.ts';

const LOOK_MS = 5;

/** The endpoint of a model, as an attacker runs one. It answers each request in one manner. */
export class ForeignEndpoint {
  /** Requests so far. */
  asked = 0;
  readonly #server: Server;

  private constructor(answer: Answer) {
    this.#server = createServer((request, response) => {
      this.asked += 1;
      request.resume();
      response.on('error', () => {});
      answer(response);
    });
  }

  static async open(answer: Answer): Promise<ForeignEndpoint> {
    const endpoint = new ForeignEndpoint(answer);
    endpoint.#server.listen(0, PROVIDER_HOST);
    await once(endpoint.#server, 'listening');
    return endpoint;
  }

  get url(): string {
    return `http://${PROVIDER_HOST}:${(this.#server.address() as AddressInfo).port}/v1/chat/completions`;
  }

  /** Resolves with how long the endpoint took to be asked `count` times, or with Infinity. */
  async msUntilAsked(count: number, deadlineMs: number): Promise<number> {
    const sinceMs = performance.now();
    while (this.asked < count) {
      if (performance.now() - sinceMs > deadlineMs) return Number.POSITIVE_INFINITY;
      await pause(LOOK_MS);
    }
    return performance.now() - sinceMs;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

type Answer = (response: ServerResponse) => void;

/** Answers with a text that is written again and again, as fast as it is read, until so many bytes are out. */
export function pouring(type: string, text: string, mostBytes: number): Answer {
  return (response) => {
    response.writeHead(200, { 'content-type': type });
    pour(response, text, mostBytes);
  };
}

/** The same in chunks of one byte. */
export function dripping(type: string, text: string, mostBytes: number): Answer {
  const chunks = [...text].map((character) => `1\r\n${character}\r\n`).join('');
  return ({ socket }) => {
    socket?.write(`HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n`);
    if (socket) pour(socket, chunks, mostBytes);
  };
}

/** So many bytes of a text in a few thousand, which nobody has asked to be packed. */
export function packed(type: string, text: string, bytes: number): Answer {
  let body: Buffer | null = null;
  return (response) => {
    body ??= gzipSync(Buffer.alloc(bytes, text));
    response.writeHead(200, { 'content-type': type, 'content-encoding': 'gzip' });
    response.end(body);
  };
}

function pour(stream: Writable, text: string, mostBytes: number): void {
  const chunk = Buffer.from(text.repeat(Math.ceil(65_536 / text.length)));
  let bytes = 0;
  const more = (): void => {
    while (!stream.destroyed && bytes < mostBytes) {
      bytes += chunk.length;
      if (!stream.write(chunk)) return void stream.once('drain', more);
    }
    stream.end();
  };
  more();
}

/** Makes agents with the model at an address. Resolves with their ids. */
export async function agentsAt({ settingsApi }: Tenant, url: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    const { status, body } = await settingsApi.post('/api/agents', { name: `Agent ${n}` });
    if (status >= 300) throw new Error(`an agent: ${status} ${JSON.stringify(body)}`);
    await pointAt({ settingsApi }, body.id, url);
    ids.push(body.id);
  }
  return ids;
}

/** Gives an agent the model at an address. */
export async function pointAt(
  { settingsApi }: Pick<Tenant, 'settingsApi'>,
  agentId: string,
  url: string,
): Promise<void> {
  const config = { endpoint: url, model: 'model-1' };
  const path = `/api/agents/${agentId}/provider`;
  const { status, body } = await settingsApi.patch(path, { provider: 'custom', config });
  if (status >= 300) throw new Error(`a provider: ${status} ${JSON.stringify(body)}`);
}

/** Has all agents ask their models at once, without waiting for the answers. */
export async function askAll({ settingsApi }: Tenant, agentIds: readonly string[]): Promise<void> {
  await Promise.all(agentIds.map((id) => settingsApi.post(`/api/agents/${id}/test`)));
}
