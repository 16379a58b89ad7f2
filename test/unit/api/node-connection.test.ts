import { describe, expect, it, onTestFinished } from 'vitest';
import { replyEmpty } from '../../../src/api/http/answer/reply.ts';
import { route } from '../../../src/api/http/routing/route.ts';
import { RawClient, served } from './served.ts';

/** Two requests arrive in one piece, and the body of the second one cannot be read. */
describe('Node’s server, when the body of a waiting request is malformed', () => {
  const FIRST = 'GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n';
  const BROKEN = 'Transfer-Encoding: chunked\r\n\r\nnot a size\r\n';

  it.each([
    ['has no Host', `POST /nothing HTTP/1.1\r\n${BROKEN}`, 400],
    ['needs no body', `POST /nothing HTTP/1.1\r\nHost: a\r\n${BROKEN}`, 404],
  ])('answers that request as if it had arrived alone: it %s', async (_, second, status) => {
    const { port } = await served([], { library: 'node' });
    const received = await new RawClient(port).write(FIRST + second).closed();
    expect(statusesIn(received)).toEqual([404, status]);
  });

  it('does not wait for the rest of that body', async () => {
    const { port } = await served([echo], { library: 'node' });
    const second = `POST /echo HTTP/1.1\r\nHost: a\r\n${BROKEN}`;
    const received = await new RawClient(port).write(FIRST + second).closed();
    expect(statusesIn(received)).toEqual([404]);
  });
});

describe('Node’s server, when a client still sends after an unreadable request', () => {
  it('answers what it could read, and closes without resetting the connection', async () => {
    const { port, url } = await served([], { library: 'node' });
    const client = new RawClient(port);
    client.socket.pause();
    client.write('GET /nothing HTTP/1.1\r\nHost: a\r\n\r\nnot a request\r\n\r\n');
    for (let i = 0; i < 2; i++) {
      // The server has dealt with the earlier bytes when it has answered another connection.
      for (let j = 0; j < 2; j++) await fetch(`${url}/nothing`, { headers: { connection: 'close' } });
      client.write('more');
    }
    client.socket.resume();
    expect(statusesIn(await client.closed())).toEqual([404, 400]);
  });

  it('closes the connection when the client never stops', async () => {
    const { port } = await served([], { library: 'node' });
    const client = new RawClient(port).write('not a request\r\n\r\n');
    client.socket.allowHalfOpen = true;
    await client.until(({ received }) => received.includes('400'));
    const sending = setInterval(() => client.write('more'), 50);
    onTestFinished(() => clearInterval(sending));
    expect(statusesIn(await client.closed())).toEqual([400]);
  });
});

function statusesIn(received: string): number[] {
  return Array.from(received.matchAll(/HTTP\/1\.1 (\d+)/g), ([, status]) => Number(status));
}

const echo = route({
  method: 'post',
  path: '/echo',
  access: 'public',
  operationId: 'echo',
  summary: 'Echo',
  tags: [],
  body: 'raw',
  responses: { 204: { description: 'Read' } },
  handler: () => replyEmpty(204),
});
