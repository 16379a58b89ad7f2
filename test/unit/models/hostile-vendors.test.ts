import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/time.ts';
import { MODEL_PROVIDERS } from '../../../src/models/all-providers.ts';
import type { ModelClient } from '../../../src/models/model-client.ts';
import { ModelFault } from '../../../src/models/model-fault.ts';
import type { ProviderName } from '../../../src/models/model-provider.ts';
import { accountHttp, faultOf, NEVER, type TestHttp } from './turn-parts.ts';

/** Where the vendor is, and what it must not lead to. */
const OUTSIDE = '127.0.0.2';
const INSIDE = '127.0.0.3';
const KEY = 'sk-0123456789abcdef';
const MOST_REQUESTS = 60;

type Manner = (request: IncomingMessage, response: ServerResponse) => void;

/** Writes a text again and again, as fast as it is read. */
function pour(response: ServerResponse, text: string): void {
  while (!response.destroyed && response.write(text));
  if (!response.destroyed) response.once('drain', () => pour(response, text));
}

function json(response: ServerResponse, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' });
}

const ENDLESS: Readonly<Record<string, Manner>> = {
  'a list without end': (_, response) => {
    json(response);
    response.write('{"data":[{"id":"m"}');
    pour(response, ',{"id":"m"}'.repeat(4_096));
  },
  'an error without end': (_, response) => {
    json(response, 500);
    response.write('{"error":{"message":"');
    pour(response, 'no '.repeat(16_384));
  },
  'brackets without end': (_, response) => {
    json(response);
    pour(response, '['.repeat(65_536));
  },
};

const NESTED: Readonly<Record<string, Manner>> = {
  'deep lists': (_, response) => {
    json(response);
    response.end(`{"data":${'['.repeat(200_000)}${']'.repeat(200_000)}}`);
  },
  'deep objects in an error': (_, response) => {
    json(response, 400);
    response.end(`{"error":${'{"error":'.repeat(100_000)}1${'}'.repeat(100_001)}`);
  },
  'names of the prototype': (_, response) => {
    json(response);
    response.end('{"__proto__":{"data":[]},"constructor":{"prototype":{"id":"x"}}}');
  },
  'no JSON': (_, response) => response.end('<html>'.repeat(10_000)),
};

let vendor: Server;
let inside: Server;
let insideHits: number;
let requests: number;
let manner: Manner;
let http: TestHttp;

async function serve(host: string, manners: Manner): Promise<Server> {
  const server = createServer(manners).listen(0, host);
  await once(server, 'listening');
  return server;
}

function urlOf(server: Server, host: string): string {
  return `http://${host}:${(server.address() as AddressInfo).port}`;
}

beforeEach(async () => {
  insideHits = 0;
  requests = 0;
  inside = await serve(INSIDE, (_, response) => {
    insideHits += 1;
    response.end('{}');
  });
  vendor = await serve(OUTSIDE, (request, response) => {
    requests += 1;
    manner(request, response);
  });
  http = accountHttp({
    findAddresses: async () => [OUTSIDE],
    isOpen: (address) => address === OUTSIDE,
  });
});

afterEach(() => {
  http.close();
  for (const server of [vendor, inside]) {
    server.closeAllConnections();
    server.close();
  }
});

/** A client of a provider whose host is the vendor. */
function clientOf(name: ProviderName, key = KEY): ModelClient {
  const url = urlOf(vendor, OUTSIDE);
  const provider = MODEL_PROVIDERS.find((one) => one.name === name)!;
  const urls = { openai: url, anthropic: url, gemini: url, mistral: url, bedrock: url };
  const config: Record<string, string> = { model: 'model-1' };
  if (name === 'custom') config.endpoint = `${url}/v1`;
  if (name === 'foundry') config.endpoint = url;
  if (name === 'bedrock') config.region = 'eu-central-1';
  return provider.connect({ config, secrets: { api_key: key } }, { http, clock: systemClock, urls } as never);
}

const NAMES = MODEL_PROVIDERS.map(({ name }) => name);
const ASKS = [
  ['browse', (client: ModelClient, signal: AbortSignal) => client.browse(signal)],
  ['probe', (client: ModelClient, signal: AbortSignal) => client.probe(signal)],
] as const;

/** Faults are one line without the key. */
function expectWords({ message }: ModelFault): void {
  expect(message.length).toBeLessThanOrEqual(300);
  expect(message).not.toMatch(/[\r\n]/);
  expect(message).not.toContain(KEY);
}

/** Of a custom endpoint that does not list models, one can be named all the same. */
function expectRefused(outcome: unknown): void {
  if (outcome instanceof ModelFault) expectWords(outcome);
  else expect(outcome).toMatchObject({ models: [], notice: expect.stringContaining('does not list') });
}

describe.each(NAMES)('%s', (name) => {
  describe.each(ASKS)('%s', (_what, ask) => {
    it.each(Object.entries(ENDLESS))('gives up %s', async (_how, hostile) => {
      manner = hostile;
      expectWords(await faultOf(ask(clientOf(name), NEVER)));
      expect(requests).toBeLessThan(MOST_REQUESTS);
    });

    it.each(Object.entries(NESTED))('is not broken by %s', async (_how, hostile) => {
      manner = hostile;
      const outcome = await ask(clientOf(name), NEVER).then(
        () => null,
        (error: ModelFault) => error,
      );
      if (outcome !== null) expectWords(await faultOf(Promise.reject(outcome)));
      expect(({} as Record<string, unknown>).data).toBeUndefined();
    });

    it('follows no redirect', async () => {
      manner = (_, response) => {
        response.writeHead(307, { location: `${urlOf(inside, INSIDE)}/latest/meta-data` });
        response.end();
      };
      expectRefused(await ask(clientOf(name), NEVER).catch((error: unknown) => error));
      expect([requests > 0, insideHits]).toEqual([true, 0]);
    });

    it('ends with its signal while the answer drips', async () => {
      const abort = new AbortController();
      manner = (_, response) => {
        json(response);
        response.write('{');
        abort.abort(new Error('too late'));
      };
      await expect(ask(clientOf(name), abort.signal)).rejects.toThrow('too late');
    });

    it('sends no key with a line break', async () => {
      manner = (_, response) => response.end('{}');
      const client = async () => await ask(clientOf(name, 'sk-1\r\nx-injected: 1'), NEVER);
      expectWords(await faultOf(client()));
      expect(requests).toBe(0);
    });
  });

  it('does not turn pages without end', async () => {
    const entry = { id: 'm', name: 'm', modelId: 'm', displayName: 'm', created: 1 };
    const page = {
      data: [entry],
      items: [entry],
      value: [entry],
      models: [entry],
      has_more: true,
      last_id: 'm',
      next_page: 'page_2',
      next_page_token: 'page_2',
      nextPageToken: 'page_2',
      nextToken: 'page_2',
    };
    manner = (_, response) => {
      json(response);
      response.end(JSON.stringify(page));
    };
    await clientOf(name)
      .browse(NEVER)
      .catch((error: unknown) => faultOf(Promise.reject(error)));
    expect(requests).toBeLessThan(MOST_REQUESTS);
  });
});
