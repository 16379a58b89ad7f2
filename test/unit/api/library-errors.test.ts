import { expect, test } from 'vitest';
import { RawClient, served } from './served.ts';

/** What Node's parser refuses, so that no route and no exchange sees it. */
const UNREADABLE: readonly [string, string][] = [
  ['GET / HTTP/1.1\r\nHost: a\r\nbad header\r\n\r\n', '400 malformed_request'],
  ['nonsense\r\n\r\n', '400 malformed_request'],
  [`GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`, '431 headers_too_large'],
  ['GET / HTTP/1.0\r\nHost: a\r\n\r\n', '505 http_version'],
  ['GET / HTTP/3.0\r\nHost: a\r\n\r\n', '505 http_version'],
];

test.each(UNREADABLE)('%j', async (bytes, expected) => {
  const { port } = await served([], { library: 'node' });
  const answer = await new RawClient(port).write(bytes).closed();
  const body = JSON.parse(/\{.*\}/.exec(answer)![0]);
  expect(`${answer.split(' ')[1]} ${body.code}`).toBe(expected);
  expect(body.detail).toEqual(expect.any(String));
});
