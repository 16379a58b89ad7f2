import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { errorBody, VendorRequests } from '../../../src/speech/vendor-requests.ts';
import { waitFor } from '../../support/wait-for.ts';

/** Answers the first request of each connection, and then does what the test says with the next one. */
let server: Server;
let sockets: Socket[];
let requests: VendorRequests;
let next: (socket: Socket) => void;

beforeEach(async () => {
  sockets = [];
  next = answer;
  server = createServer((socket) => {
    sockets.push(socket);
    let count = 0;
    socket.on('error', () => {});
    socket.on('data', () => {
      count += 1;
      if (count === 1) answer(socket);
      else next(socket);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  requests = new VendorRequests({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    headers: {},
  });
});

afterEach(async () => {
  requests.close();
  server.close();
  for (const socket of sockets) socket.destroy();
  await once(server, 'close');
});

function answer(socket: Socket): void {
  socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
}

async function ask(signal = new AbortController().signal): Promise<string> {
  return errorBody(await requests.send({ method: 'GET', path: '/', signal }));
}

describe('requests to a vendor', () => {
  it('use an open connection again', async () => {
    expect(await ask()).toBe('ok');
    expect(await ask()).toBe('ok');
    expect(sockets.length).toBe(1);
  });

  it('are sent again when the vendor closes the idle connection at that moment', async () => {
    await ask();
    next = (socket) => socket.resetAndDestroy();
    expect(await ask()).toBe('ok');
    expect(sockets.length).toBe(2);
  });

  it('are not sent again once there is a response', async () => {
    await ask();
    next = (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart');
    const { signal } = new AbortController();
    const response = await requests.send({ method: 'GET', path: '/', signal });
    sockets[0]?.resetAndDestroy();
    expect(await errorBody(response)).toBe('part');
    expect(sockets.length).toBe(1);
  });

  it('end with the session', async () => {
    await ask();
    requests.close();
    await waitFor('the end of the connection', () =>
      sockets.every(({ destroyed, readableEnded }) => destroyed || readableEnded),
    );
  });

  it('fail when they are aborted', async () => {
    await ask();
    next = () => {};
    const abort = new AbortController();
    const asked = ask(abort.signal);
    abort.abort();
    await expect(asked).rejects.toThrow('aborted');
  });

  it('are aborted while the response is complete and unread, and no error is uncaught', async () => {
    const uncaught: Error[] = [];
    const note = (error: Error): number => uncaught.push(error);
    process.on('uncaughtException', note);
    onTestFinished(() => void process.off('uncaughtException', note));
    const abort = new AbortController();
    const response = await requests.send({ method: 'GET', path: '/', signal: abort.signal });
    await waitFor('the whole response', () => response.complete);
    abort.abort();
    await waitFor('the end of the connection', () => sockets.every(({ readableEnded }) => readableEnded));
    expect(uncaught).toEqual([]);
  });
});
