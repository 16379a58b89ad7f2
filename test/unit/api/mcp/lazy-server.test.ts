import { expect, test } from 'vitest';
import { LazyServer } from '../../../../src/api/mcp/lazy-server.ts';
import type { McpEndpoint } from '../../../../src/api/mcp/mcp-endpoint.ts';
import type { McpRequest } from '../../../../src/api/mcp/mcp-request.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

/** A late endpoint, what is done at the one behind it, and how often that was opened. */
function lateDoor(fails = 0) {
  const done: string[] = [];
  const clock = new ManualClock();
  const opening = { count: 0 };
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
  const open = async () => {
    opening.count += 1;
    if (opening.count <= fails) throw new Error('the file is gone');
    return endpoint as unknown as McpEndpoint;
  };
  return { late: new LazyServer(open, clock), done, clock, opening };
}

const REQUEST = { principal: { credentialId: 'key_1' } } as McpRequest;
const OTHER = { principal: { credentialId: 'key_2' } } as McpRequest;
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('whoever comes early waits for the one opening', async () => {
  const { late, done, opening } = lateDoor();
  expect(late.sessionCount).toBe(0);
  await Promise.all([late.post(REQUEST), late.get(REQUEST), late.delete(REQUEST)]);
  expect([done.toSorted(), opening.count]).toEqual([['delete', 'get', 'post'], 1]);
  await turn();
  expect(late.post(REQUEST)).not.toBeInstanceOf(Promise);
  expect(late.sessionCount).toBe(7);
});

test('it opens by itself when the start is over', async () => {
  const { late, clock, opening } = lateDoor();
  clock.advance(1_000);
  await turn();
  await turn();
  expect([opening.count, late.sessionCount]).toEqual([1, 7]);
});

test('whoever waits with a credential that changes meanwhile has to ask again', async () => {
  const { late, done } = lateDoor();
  late.follow('key_1', []);
  const early = late.post(REQUEST);
  const other = late.post(OTHER);
  late.follow('key_1', []);
  await expect(early).rejects.toThrow('The gateway is not ready');
  await other;
  expect(done).toEqual(['post']);
  await turn();
  late.follow('key_1', []);
  expect(done).toEqual(['post', 'follow', 'follow']);
});

test('an opening that fails is told, and tried again', async () => {
  const { late, done } = lateDoor(1);
  await expect(late.post(REQUEST)).rejects.toThrow('the file is gone');
  await late.post(REQUEST);
  expect(done).toEqual(['post']);
});

test('closed before it was opened it opens only to close', async () => {
  const { late, done, clock, opening } = lateDoor();
  late.close();
  clock.advance(1_000);
  await turn();
  expect(opening.count).toBe(0);
  await late.post(REQUEST);
  await turn();
  expect(done).toEqual(['post', 'close']);
});
