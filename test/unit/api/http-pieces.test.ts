import { expect, test } from 'vitest';
import { type Bytes, replyBytes } from '../../../src/api/http/answer/reply.ts';
import { type Route, route } from '../../../src/api/http/routing/route.ts';
import { goOn } from '../../../src/base/now-or-later.ts';
import { eventually, RawClient, served } from './served.ts';

const TYPE = 'text/plain; charset=utf-8';

function told(handler: () => Bytes | Promise<Bytes>): Route {
  return route({
    method: 'get',
    path: '/pieces',
    access: 'public',
    operationId: 'pieces',
    summary: 'Pieces',
    tags: [],
    responses: { 200: { description: 'Text', contentType: TYPE } },
    handler: () => goOn(handler(), (body) => replyBytes(200, TYPE, body)),
  });
}

// Far more than the server library combines before it sends.
const LONG = 'ä€🎈'.repeat(20_000);

test.each([
  ['texts and bytes', ['one ', Buffer.from('zwei für '), 'три']],
  ['a long piece in the middle', ['{', Buffer.from(LONG), '}']],
  ['long texts', [LONG, LONG]],
])('a reply in pieces arrives as one body: %s', async (_, pieces) => {
  const { url } = await served([told(() => pieces)]);
  const whole = pieces.map(String).join('');
  for (const method of ['GET', 'HEAD']) {
    const response = await fetch(`${url}/pieces`, { method });
    expect(await response.text()).toBe(method === 'GET' ? whole : '');
    if (method === 'HEAD') expect(response.headers.get('content-length')).toBe(`${Buffer.byteLength(whole)}`);
  }
});

const END = Buffer.from('🎈>').toString('latin1');

test('pipelined replies in pieces keep their order and their boundaries', async () => {
  let asked = 0;
  const { port } = await served([told(() => [`<${++asked}`, Buffer.from(LONG), '>'])]);
  // In total less than a network takes at once: uWebSockets.js hangs up on pipelining while an answer waits.
  const client = new RawClient(port).write('GET /pieces HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(5));
  await eventually(() => client.received.split(END).length === 6 || client.isClosed);
  const answers = client.received.split(/(?=HTTP\/1\.1 200 OK)/);
  expect(answers.map((answer) => answer.slice(answer.indexOf('\r\n\r\n') + 4))).toEqual(
    Array.from({ length: 5 }, (_, n) => Buffer.from(`<${n + 1}${LONG}>`).toString('latin1')),
  );
});

test('a request made before the server closes gets its whole reply, and a close header', async () => {
  const late = Promise.withResolvers<Bytes>();
  let isAsked = false;
  const waits = () => {
    isAsked = true;
    return late.promise;
  };
  const { server, url } = await served([told(waits)]);
  const answer = fetch(`${url}/pieces`);
  await eventually(() => isAsked);
  const closed = server.close(60_000);
  late.resolve(['a', Buffer.from(LONG), 'z']);
  const response = await answer;
  expect(response.headers.get('connection')).toBe('close');
  expect(await response.text()).toBe(`a${LONG}z`);
  await closed;
});
