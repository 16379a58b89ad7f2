import { expect, test } from 'vitest';
import { LazyServer } from '../../../../src/api/mcp/lazy-server.ts';
import type { McpEndpoint } from '../../../../src/api/mcp/mcp-endpoint.ts';
import type { McpRequest } from '../../../../src/api/mcp/mcp-request.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

/** A lazy server, the calls that reached the endpoint behind it, and how often that was loaded. */
function lazyServer(fails = 0) {
  const done: string[] = [];
  const clock = new ManualClock();
  const loads = { count: 0 };
  const answer = (what: string) => () => {
    done.push(what);
    return { kind: 'empty', status: 202 };
  };
  const endpoint = {
    sessionCount: 7,
    post: answer('post'),
    get: async () => answer('get')(),
    delete: async () => answer('delete')(),
    follow: answer('follow'),
    close: answer('close'),
  };
  const load = async () => {
    loads.count += 1;
    if (loads.count <= fails) throw new Error('the file is gone');
    return endpoint as unknown as McpEndpoint;
  };
  return { server: new LazyServer(load, clock), done, clock, loads };
}

const REQUEST = { principal: { credentialId: 'key_1' } } as McpRequest;
const OTHER = { principal: { credentialId: 'key_2' } } as McpRequest;
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('early requests wait for one load', async () => {
  const { server, done, loads } = lazyServer();
  expect(server.sessionCount).toBe(0);
  await Promise.all([server.post(REQUEST), server.get(REQUEST), server.delete(REQUEST)]);
  expect([done.toSorted(), loads.count]).toEqual([['delete', 'get', 'post'], 1]);
  await turn();
  expect(server.post(REQUEST)).not.toBeInstanceOf(Promise);
  expect(server.sessionCount).toBe(7);
});

test('a message that waits for the load keeps its bytes', async () => {
  const seen: unknown[] = [];
  const post = (_request: McpRequest, bytes: Uint8Array) => void seen.push(Buffer.from(bytes).toString());
  const server = new LazyServer(async () => ({ post }) as unknown as McpEndpoint, new ManualClock());
  const body = Buffer.from('{"id":1}');
  const early = server.post({ ...REQUEST, body });
  body.fill(0);
  await early;
  expect(seen).toEqual(['{"id":1}']);
});

test('the server loads by itself after startup', async () => {
  const { server, clock, loads } = lazyServer();
  clock.advance(1_000);
  await turn();
  await turn();
  expect([loads.count, server.sessionCount]).toEqual([1, 7]);
});

test('a request whose credential changes while it waits must be repeated', async () => {
  const { server, done } = lazyServer();
  server.follow('key_1', []);
  const early = server.post(REQUEST);
  const other = server.post(OTHER);
  server.follow('key_1', []);
  await expect(early).rejects.toThrow('The gateway is not ready');
  await other;
  expect(done).toEqual(['post']);
  await turn();
  server.follow('key_1', []);
  expect(done).toEqual(['post', 'follow', 'follow']);
});

test('a failed load is reported and retried', async () => {
  const { server, done } = lazyServer(1);
  await expect(server.post(REQUEST)).rejects.toThrow('the file is gone');
  await server.post(REQUEST);
  expect(done).toEqual(['post']);
});

test('an endpoint that loads after the close is closed', async () => {
  const { server, done, clock, loads } = lazyServer();
  server.close();
  clock.advance(1_000);
  await turn();
  expect(loads.count).toBe(0);
  await server.post(REQUEST);
  await turn();
  expect(done).toEqual(['post', 'close']);
});
