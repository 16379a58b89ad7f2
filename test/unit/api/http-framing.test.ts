import { describe, expect, it } from 'vitest';
import { replyBytes } from '../../../src/api/http/answer/reply.ts';
import { route } from '../../../src/api/http/routing/route.ts';
import { RawClient, served } from './served.ts';

const CHUNKED = '3\r\nabc\r\n0\r\n\r\n';

/** Requests whose end or host two programs could interpret differently. */
const IN_DOUBT: Readonly<Record<string, string>> = {
  'two different lengths': post(['Content-Length: 3', 'Content-Length: 4'], 'abcd'),
  'two equal lengths': post(['Content-Length: 3', 'Content-Length: 3'], 'abc'),
  'a list of lengths': post(['Content-Length: 3, 3'], 'abc'),
  'a length with a sign': post(['Content-Length: +3'], 'abc'),
  'a length that is not decimal': post(['Content-Length: 0x3'], 'abc'),
  'a length and a coding': post(['Content-Length: 3', 'Transfer-Encoding: chunked'], CHUNKED),
  'a coding and a length': post(['Transfer-Encoding: chunked', 'Content-Length: 3'], CHUNKED),
  'an empty length': post(['Content-Length:'], 'abc'),
  'an empty length and another one': post(['Content-Length:', 'Content-Length: 3'], 'abc'),
  'an empty coding': post(['Transfer-Encoding: '], CHUNKED),
  'an empty coding and a length': post(['Transfer-Encoding:', 'Content-Length: 3'], 'abc'),
  'an unknown coding': post(['Transfer-Encoding: xchunked'], CHUNKED),
  'a coding below the chunks': post(['Transfer-Encoding: gzip, chunked'], CHUNKED),
  'two codings': post(['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'], CHUNKED),
  'two hosts': post(['Host: b', 'Content-Length: 3'], 'abc'),
  'a GET with two lengths': 'GET /x HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nContent-Length: 1\r\n\r\na',
};

function post(headers: string[], body: string): string {
  return `POST /x HTTP/1.1\r\nHost: a\r\n${headers.join('\r\n')}\r\n\r\n${body}`;
}

async function watched() {
  const seen: string[] = [];
  const both = (['get', 'post'] as const).map((method) =>
    route({
      method,
      path: '/x',
      access: 'public',
      operationId: method,
      summary: 's',
      tags: [],
      body: 'raw',
      responses: { 200: { description: 's', contentType: 'text/plain' } },
      handler: () => {
        seen.push('x');
        return replyBytes(200, 'text/plain', 'served');
      },
    }),
  );
  const smuggled = route({
    method: 'get',
    path: '/smuggled',
    access: 'public',
    operationId: 'smuggled',
    summary: 's',
    tags: [],
    responses: { 200: { description: 's', contentType: 'text/plain' } },
    handler: () => {
      seen.push('smuggled');
      return replyBytes(200, 'text/plain', 'smuggled');
    },
  });
  return { ...(await served([...both, smuggled])), seen };
}

describe.each(Object.entries(IN_DOUBT))('a request with %s', (_, request) => {
  it('gets 400, and the connection is closed', async () => {
    const { port, seen } = await watched();
    const answer = await new RawClient(port).write(request).closed();
    expect(answer).toMatch(/^HTTP\/1\.1 400 [\s\S]*connection: close/i);
    expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(seen).toEqual([]);
  });

  it('takes the requests after it on the connection down with it', async () => {
    const { port, seen } = await watched();
    const next = 'GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n';
    const answer = await new RawClient(port).write(request + next + next).closed();
    expect(answer).not.toMatch(/HTTP\/1\.1 2/);
    expect(seen).toEqual([]);
  });
});

it('a coding in capitals, or a body where none is needed, is accepted', async () => {
  const { port, seen } = await watched();
  const client = new RawClient(port);
  client.write('GET /x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc');
  await client.until(({ received }) => received.endsWith('served'));
  expect(client.isClosed).toBe(false);
  client.write(post(['Transfer-Encoding: CHUNKED'], CHUNKED));
  await client.until(({ received }) => received.split('served').length === 3);
  expect(seen).toEqual(['x', 'x']);
});

describe('after a chunked body', () => {
  const SMUGGLED = 'GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n';

  it.each([
    ['a trailer that looks like a request', `3\r\nabc\r\n0\r\n${SMUGGLED}`],
    ['a chunk with a wrong end', `3\r\nabcXX0\r\n\r\n${SMUGGLED}`],
    ['a chunk line with a bare line feed', `3\nabc\r\n0\r\n\r\n${SMUGGLED}`],
  ])('nothing is parsed as a request: %s', async (_, body) => {
    const { port, seen } = await watched();
    const answer = await new RawClient(port).write(post(['Transfer-Encoding: chunked'], body)).closed();
    expect(answer.split('HTTP/1.1 ').length).toBeLessThanOrEqual(2);
    expect(seen).not.toContain('smuggled');
  });
});
