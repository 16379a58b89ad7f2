import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { dnsAddresses } from '../../../../src/base/find-addresses.ts';
import { publicOr } from '../../../../src/base/public-address.ts';
import { VENDOR } from '../../../../src/models/http/patience.ts';
import { DnsServer } from '../../../support/dns-server.ts';
import { HOSTILE, OUTSIDE, ported, zone } from '../../../support/hostile-urls.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { accountHttp, faultOf, NEVER, type TestHttp } from '../turn-parts.ts';

const KEY = 'sk-0123456789abcdef';

let dns: DnsServer;
let outside: Server;
let inside: Server;
let insideHits = 0;
let listener: RequestListener;
let http: TestHttp;
const sockets = new Set<Socket>();

const portOf = (server: Server) => (server.address() as AddressInfo).port;
const at = (path: string, host = 'files.test') => new URL(`http://${host}:${portOf(outside)}${path}`);

async function serve(host: string, listen: RequestListener): Promise<Server> {
  const server = createServer(listen).listen(0, host);
  await once(server, 'listening');
  return server;
}

beforeAll(async () => {
  dns = await DnsServer.start(zone);
  inside = await serve('127.0.0.1', (_, response) => {
    insideHits += 1;
    response.end('{}');
  });
  outside = await serve(OUTSIDE, (request, response) => listener(request, response));
  outside.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
});

afterAll(() => {
  for (const server of [outside, inside]) server.closeAllConnections();
  for (const server of [outside, inside]) server.close();
  dns.stop();
});

beforeEach(() => {
  insideHits = 0;
  listener = (_, response) => response.end('{"ok":true}');
  http = accountHttp({ findAddresses: dnsAddresses([dns.address]), isOpen: publicOr([OUTSIDE]) });
  const ours = http;
  onTestFinished(() => ours.close());
});

function get(url: URL, signal: AbortSignal = NEVER) {
  const headers = { authorization: `Bearer ${KEY}` };
  return http.send({ method: 'GET', url, headers, patience: VENDOR, signal });
}

async function read(url: URL, signal: AbortSignal = NEVER): Promise<unknown> {
  const answer = await get(url, signal);
  return await answer.json();
}

it('ends with an answer that is complete and unread, and no error is left without a listener', async () => {
  const uncaught: Error[] = [];
  const note = (error: Error): number => uncaught.push(error);
  process.on('uncaughtException', note);
  onTestFinished(() => void process.off('uncaughtException', note));
  const abort = new AbortController();
  const answer = await get(at('/'), abort.signal);
  listener = (_, response) => response.writeHead(200, { connection: 'close' }).end('{}');
  // Whatever was sent before the second answer is here.
  await read(at('/'));
  abort.abort(new Error('enough'));
  await expect(answer.json()).rejects.toThrow('enough');
  await waitFor('the socket to close', () => sockets.size === 0);
  expect(uncaught).toEqual([]);
});

describe('an endpoint inside the network', () => {
  it.each(HOSTILE.filter((url) => URL.canParse(url)))('is not reached: %s', async (text) => {
    const url = URL.parse(ported(text, portOf(inside), portOf(outside)));
    if (url === null) return;
    const fault = await faultOf(get(url));
    expect(['bad_endpoint', 'unreachable']).toContain(fault.kind);
    expect(fault.isDoubtful).toBe(false);
    expect(fault.message).not.toContain(KEY);
    expect(insideHits).toBe(0);
  });

  it('is refused when only one of its addresses is inside', async () => {
    for (const host of ['mixed.test', 'mixed6.test', 'loopback.test', 'loopback6.test', 'metadata.test']) {
      expect(await faultOf(get(at('/', host)))).toMatchObject({ kind: 'bad_endpoint' });
    }
    expect(insideHits).toBe(0);
  });

  it('is not reached by a name that moves there after its check', async () => {
    listener = (_, response) => response.writeHead(200, { connection: 'close' }).end('{}');
    await read(at('/', 'model.flips.test'));
    expect(await faultOf(get(at('/', 'model.flips.test')))).toMatchObject({ kind: 'bad_endpoint' });
    expect(dns.asked.filter((question) => question === 'A model.flips.test')).toHaveLength(2);
    expect(insideHits).toBe(0);
  });

  it('is not reached by a redirect, which is handed on as it is', async () => {
    const location = `http://127.0.0.1:${portOf(inside)}/`;
    listener = (_, response) => response.writeHead(307, { location }).end();
    const answer = await get(at('/'));
    expect([answer.status, insideHits]).toEqual([307, 0]);
  });

  it.each(['ftp://files.test/', 'file:///etc/passwd', 'http://user:pass@files.test/'])(
    'is no %s',
    async (url) => {
      expect(await faultOf(get(new URL(url)))).toMatchObject({ kind: 'bad_endpoint' });
    },
  );
});

describe('a connection to a provider', () => {
  it('is kept for the next request', async () => {
    const ports: (number | undefined)[] = [];
    listener = (request, response) => {
      ports.push(request.socket.remotePort);
      response.end('{}');
    };
    for (const path of ['/1', '/2', '/3']) await read(at(path));
    expect(ports).toHaveLength(3);
    expect(new Set(ports).size).toBe(1);
  });

  it('is kept when the caller leaves a stream at its last event, and closed if the stream goes on', async () => {
    const ports: (number | undefined)[] = [];
    let isEndless = false;
    let last: Socket | undefined;
    listener = (request, response) => {
      last = request.socket;
      ports.push(last.remotePort);
      response.write('data: {"last":true}\n\n');
      if (!isEndless) response.end('data: [DONE]\n\n');
    };
    const first = async (path: string) => {
      const answer = await get(at(path));
      const events = answer.events();
      const { value } = await events.next();
      await events.return();
      return value?.data;
    };
    await waitFor('a connection that is used again', async () => {
      expect(await first('/1')).toEqual({ last: true });
      return ports.length > 1 && ports.at(-1) === ports.at(-2);
    });
    isEndless = true;
    expect(await first('/4')).toEqual({ last: true });
    await waitFor('the end of the connection', () => last?.destroyed);
  });

  it('is given up before a server closes it that says when', async () => {
    const ports: (number | undefined)[] = [];
    listener = (request, response) => {
      ports.push(request.socket.remotePort);
      response.setHeader('keep-alive', 'timeout=1').end('{}');
    };
    for (const path of ['/1', '/2']) await read(at(path));
    expect(new Set(ports).size).toBe(2);
  });

  it('goes to a name and to an address alike', async () => {
    expect(await read(at('/'))).toEqual({ ok: true });
    expect(await read(at('/', OUTSIDE))).toEqual({ ok: true });
  });

  it('is closed at once when the request is aborted, before and within the answer', async () => {
    for (const isBegun of [false, true]) {
      const abort = new AbortController();
      const { promise: arrived, resolve } = Promise.withResolvers<void>();
      listener = (_, response) => {
        if (isBegun) response.write('{"half":');
        resolve();
      };
      const reading = read(at('/'), abort.signal);
      await arrived;
      const startMs = performance.now();
      abort.abort(new Error('interrupted'));
      await expect(reading).rejects.toThrow('interrupted');
      await waitFor('the end of the connection', () => sockets.size === 0);
      expect(performance.now() - startMs).toBeLessThan(1_000);
    }
    const aborted = AbortSignal.abort(new Error('too late'));
    await expect(get(at('/'), aborted)).rejects.toThrow('too late');
  });

  it('that cannot be made says why, and leaves no doubt', async () => {
    const closed = await serve(OUTSIDE, () => {});
    const port = portOf(closed);
    closed.close();
    await once(closed, 'close');
    const refused = await faultOf(get(new URL(`http://files.test:${port}/`)));
    expect(refused).toMatchObject({ kind: 'unreachable', isDoubtful: false });
    expect(refused.message).toContain('ECONNREFUSED');
    const unknown = await faultOf(get(at('/', 'nobody.test')));
    expect(unknown).toMatchObject({ kind: 'unreachable', isDoubtful: false });
    expect(unknown.message).toContain('ENOTFOUND');
  });

  it('that is lost leaves doubt', async () => {
    listener = (request) => request.socket.destroy();
    expect(await faultOf(get(at('/')))).toMatchObject({ kind: 'unreachable', isDoubtful: true });
    listener = (_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"half":', () => response.destroy());
    };
    expect(await faultOf(read(at('/')))).toMatchObject({ kind: 'cut', isDoubtful: true });
  });
});

describe('an endpoint that says nothing', () => {
  it('loses the turn, before the head and within the answer, and is not asked again', async () => {
    for (const isBegun of [false, true]) {
      const clock = new ManualClock();
      const silent = accountHttp({ findAddresses: async () => [OUTSIDE], isOpen: () => true }, clock);
      const arrived = Promise.withResolvers<void>();
      listener = (_, response) => {
        if (isBegun) response.write('data: {}\n\n');
        arrived.resolve();
      };
      const asked = silent.send({
        method: 'GET',
        url: at('/'),
        headers: {},
        patience: VENDOR,
        signal: NEVER,
      });
      const fault = faultOf(isBegun ? asked.then((answer) => answer.json()) : asked);
      await arrived.promise;
      if (isBegun) await asked;
      const waitMs = isBegun ? VENDOR.idleMs : VENDOR.headMs;
      clock.advance(waitMs);
      expect(await fault).toMatchObject({
        kind: 'cut',
        isDoubtful: false,
        message: `the endpoint said nothing for ${waitMs / 1_000} s`,
      });
      await waitFor('the end of the connection', () => sockets.size === 0);
      silent.close();
    }
  });
});

describe('an answer', () => {
  it('is JSON, or the text that it is', async () => {
    listener = (_, response) => response.end('<html>busy</html>');
    expect(await read(at('/'))).toBe('<html>busy</html>');
    listener = (_, response) => response.end('['.repeat(100) + ']'.repeat(100));
    expect(await read(at('/'))).toMatch(/^\[+\]+$/);
  });

  it('that is too long is left', async () => {
    listener = (_, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536, ' ')));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    };
    const fault = await faultOf(read(at('/')));
    expect(fault).toMatchObject({ kind: 'cut', message: 'the answer is too long' });
    await waitFor('the end of the connection', () => sockets.size === 0);
  });

  it('that drips is read until the caller has had enough', async () => {
    const abort = new AbortController();
    let drops = 0;
    listener = (_, response) => {
      const timer = setInterval(() => {
        response.write(' ');
        drops += 1;
        if (drops === 5) abort.abort(new Error('deadline'));
      }, 5);
      response.once('close', () => clearInterval(timer));
    };
    await expect(read(at('/'), abort.signal)).rejects.toThrow('deadline');
    await waitFor('the end of the connection', () => sockets.size === 0);
  });

  it('with endless headers is refused', async () => {
    listener = (_, response) => response.setHeader('x-long', 'x'.repeat(100_000)).end('{}');
    expect(await faultOf(get(at('/')))).toMatchObject({ kind: 'unreachable' });
  });
});
