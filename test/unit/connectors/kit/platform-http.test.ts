import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { OutboundFile } from '../../../../src/connectors/contract/messenger.ts';
import { fileUpload, hasOrigin, PlatformHttp } from '../../../../src/connectors/kit/platform-http.ts';
import { TurnableClock } from '../../../support/turnable-clock.ts';

const clock = new TurnableClock();

async function platform(answer: RequestListener): Promise<{ url: string; http: PlatformHttp }> {
  const server = createServer(answer);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return { url, http: new PlatformHttp('Acme', clock, 1_000) };
}

function file(open: OutboundFile['open'], sizeBytes: number): OutboundFile {
  return { name: 'a.txt', mime: 'text/plain', sizeBytes, open };
}

test.each<readonly [string, () => string, number | null]>([
  ['seconds', () => '7', 7_000],
  ['a date', () => new Date(Date.parse(clock.nowIso()) + 60_000).toUTCString(), 60_000],
  ['a date that has passed', () => 'Thu, 01 Jan 1970 00:00:00 GMT', 0],
  ['something else', () => 'soon', null],
])('Retry-After may have %s', async (_what, header, expected) => {
  const { url, http } = await platform((_request, response) => {
    response.writeHead(429, { 'retry-after': header() }).end('{"ok":false}');
  });
  const { status, isOk, json, retryAfterMs } = await http.ask({ method: 'GET', url });
  expect({ status, isOk, json }).toEqual({ status: 429, isOk: false, json: { ok: false } });
  if (expected === null) expect(retryAfterMs).toBeNull();
  else expect(Math.abs(retryAfterMs! - expected)).toBeLessThan(2_000);
});

test.each<readonly [string, RequestListener]>([
  ['a redirect', (_request, response) => response.writeHead(302, { location: '/other' }).end()],
  ['an answer without an end', (_request, response) => response.end('x'.repeat(1_001))],
  ['a cut answer', (request) => request.socket.destroy()],
])('%s may mean that the request was carried out', async (_what, answer) => {
  const { url, http } = await platform(answer);
  await expect(http.ask({ method: 'POST', url, json: {} })).rejects.toMatchObject({ kind: 'unclear' });
});

test.each(['GET', 'PUT', 'DELETE'] as const)(
  '%s is repeated, once, where the connection ended',
  async (method) => {
    let asked = 0;
    const { url, http } = await platform((request, response) => {
      asked += 1;
      if (asked === 2) response.end('{"ok":true}');
      else request.socket.destroy();
    });
    expect(await http.ask({ method, url })).toMatchObject({ isOk: true, json: { ok: true } });
    await expect(http.ask({ method, url })).rejects.toMatchObject({ kind: 'unclear' });
    expect(asked).toBe(4);
  },
);

test('a request whose time is over is not made', async () => {
  const { url, http } = await platform(() => expect.unreachable());
  await expect(http.ask({ method: 'GET', url, signal: AbortSignal.abort() })).rejects.toMatchObject({
    kind: 'unreachable',
    message: 'The deadline passed before Acme was asked',
  });
});

test('an upload that is cut before its end has not reached the platform', async () => {
  const { url, http } = await platform((request) => {
    request.once('data', () => request.socket.destroy());
  });
  const endless = async function* () {
    for (;;) {
      await setImmediate();
      yield Buffer.alloc(65_536);
    }
  };
  const cut = http.ask({ method: 'PUT', url, upload: fileUpload(file(endless, 1e9)) });
  await expect(cut).rejects.toMatchObject({ kind: 'unreachable' });
});

test('an upload is sent with its length and type', async () => {
  const seen: unknown[] = [];
  const { url, http } = await platform((request, response) => {
    const { 'content-type': type, 'content-length': length } = request.headers;
    seen.push(type, length);
    request.resume().on('end', () => response.end('{}'));
  });
  const hello = async function* () {
    yield Buffer.from('hello');
  };
  const upload = fileUpload(file(hello, 5));
  expect((await http.ask({ method: 'PUT', url, upload })).isOk).toBe(true);
  expect(seen).toEqual(['application/octet-stream', '5']);
  expect(upload.isWhole).toBe(true);
});

test.each([
  [404, 'file_gone', expect.any(String)],
  [410, 'file_gone', expect.any(String)],
  [500, 'platform_failed', 'Acme answered with HTTP status 500'],
] as const)('a file that is answered with %i is %s', async (status, code, message) => {
  const { url, http } = await platform((_request, response) => response.writeHead(status).end());
  const { signal } = new AbortController();
  await expect(http.openFile({ url, signal })).rejects.toMatchObject({ code, message });
});

test('a file whose head has arrived takes its time', async () => {
  const { url, http } = await platform((_request, response) => {
    response.write('slow');
    setTimeout(() => response.end('ly'), 50);
  });
  const body = await http.openFile({ url, signal: new AbortController().signal });
  clock.turn(60_000);
  let text = '';
  for await (const part of body) text += Buffer.from(part).toString();
  expect(text).toBe('slowly');
});

test('only addresses of the same origin are the platform’s', () => {
  expect(hasOrigin('https://acme.example/a', 'https://other.example', 'https://acme.example')).toBe(true);
  for (const href of ['https://acme.example.com/', 'http://acme.example/', 'https://acme.example:444/', 'x'])
    expect(hasOrigin(href, 'https://acme.example')).toBe(false);
});
