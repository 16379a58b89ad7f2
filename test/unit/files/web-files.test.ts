import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { dnsAddresses } from '../../../src/base/find-addresses.ts';
import { isPublicAddress, publicOr } from '../../../src/base/public-address.ts';
import { WebFiles } from '../../../src/files/web-files.ts';
import { makeCertificate } from '../../support/certificate.ts';
import { DnsServer } from '../../support/dns-server.ts';
import { BLOCKED, HOSTILE, OUTSIDE, ported, zone } from '../../support/hostile-urls.ts';
import { temporaryDir } from '../store/temporary.ts';

let dns: DnsServer;
let outside: Server;
let inside: Server;
let insideHits: number;
let web: WebFiles;

const portOf = (server: Server) => (server.address() as AddressInfo).port;
const anySignal = () => new AbortController().signal;

async function serve(host: string, listener: RequestListener): Promise<Server> {
  const server = createServer(listener);
  server.listen(0, host);
  await once(server, 'listening');
  return server;
}

const answers: Readonly<Record<string, RequestListener>> = {
  '/hello.txt': (_, response) => response.writeHead(200, { 'Content-Type': 'text/plain' }).end('hello'),
  '/named': (_, response) =>
    response.writeHead(200, { 'Content-Disposition': 'attachment; filename="a b.pdf"' }).end('%PDF-'),
  '/missing': (_, response) => response.writeHead(404).end('no'),
  '/zipped': (_, response) => response.writeHead(200, { 'Content-Encoding': 'gzip' }).end('x'),
  '/cut': (_, response) => {
    response.writeHead(200, { 'Content-Length': '100' });
    response.write('half', () => response.destroy());
  },
  '/loop': (_, response) => response.writeHead(302, { Location: '/loop' }).end(),
  '/hangs': () => {},
};

beforeAll(async () => {
  dns = await DnsServer.start(zone);
  inside = await serve('127.0.0.1', (_, response) => {
    insideHits += 1;
    response.end('secret');
  });
  outside = await serve(OUTSIDE, (request, response) => {
    const url = new URL(request.url ?? '/', 'http://x');
    const location = url.searchParams.get('to');
    if (location !== null)
      response.writeHead(Number(url.searchParams.get('by') ?? 302), { Location: location }).end();
    else (answers[url.pathname] ?? answers['/missing']!)(request, response);
  });
  web = new WebFiles(dnsAddresses([dns.address]), publicOr([OUTSIDE]));
});
afterAll(() => {
  for (const server of [outside, inside]) server?.closeAllConnections();
  for (const server of [outside, inside]) server?.close();
  dns?.stop();
});
beforeEach(() => {
  insideHits = 0;
});

const at = (path: string, host = 'files.test') => `http://${host}:${portOf(outside)}${path}`;

async function textOf(url: string): Promise<string> {
  const { bytes } = await web.open(url, anySignal());
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const portedHere = (url: string) => ported(url, portOf(inside), portOf(outside));

describe('URLs of internal addresses', () => {
  it('are a table of distinct entries', () => {
    expect(new Set(HOSTILE).size).toBe(HOSTILE.length);
    expect(HOSTILE.length).toBeGreaterThanOrEqual(60);
  });

  it.each(HOSTILE)('are refused: %s', async (url) => {
    await expect(web.open(portedHere(url), anySignal())).rejects.toMatchObject(BLOCKED);
    expect(insideHits).toBe(0);
  });

  // In a redirect some of them would be relative; others a server cannot even send.
  it.each(HOSTILE.filter((url) => /^[\w.-]+:[!-~]*$/.test(url) && !/^http:\d/.test(url)))(
    'are refused as targets of a redirect: %s',
    async (url) => {
      const to = encodeURIComponent(portedHere(url));
      await expect(web.open(at(`/x?to=${to}`), anySignal())).rejects.toMatchObject(BLOCKED);
      expect(insideHits).toBe(0);
    },
  );

  it('are refused at the end of a chain of redirects, with any redirect status', async () => {
    for (const status of [301, 302, 303, 307, 308]) {
      const last = at(`/x?by=${status}&to=${encodeURIComponent(portedHere('http://127.0.0.1:IN/'))}`);
      const first = at(`/x?to=${encodeURIComponent(last)}`);
      await expect(web.open(first, anySignal())).rejects.toMatchObject(BLOCKED);
    }
    expect(insideHits).toBe(0);
  });
});

describe('a name that resolves to an internal address after its check', () => {
  it('is connected to at the checked address, and looked up once', async () => {
    expect(await textOf(at('/hello.txt', 'a.flips.test'))).toBe('hello');
    expect(dns.asked.filter((question) => question === 'A a.flips.test')).toHaveLength(1);
  });

  it('is refused on the next request', async () => {
    expect(await textOf(at('/hello.txt', 'b.flips.test'))).toBe('hello');
    await expect(web.open(at('/hello.txt', 'b.flips.test'), anySignal())).rejects.toMatchObject(BLOCKED);
  });

  it('is refused when it changes between a redirect and its target', async () => {
    const back = at(`/x?to=${encodeURIComponent(at('/hello.txt', 'c.flips.test'))}`, 'c.flips.test');
    await expect(web.open(back, anySignal())).rejects.toMatchObject(BLOCKED);
    expect(insideHits).toBe(0);
  });
});

describe('URLs of public addresses', () => {
  it('are fetched by name and by address, also through redirects', async () => {
    expect(await textOf(at('/hello.txt'))).toBe('hello');
    expect(await textOf(at('/hello.txt', 'FILES.test'))).toBe('hello');
    expect(await textOf(at('/hello.txt', OUTSIDE))).toBe('hello');
    expect(await textOf(at('/x?to=/hello.txt'))).toBe('hello');
    expect(await textOf(at(`/x?by=308&to=${encodeURIComponent(at('/hello.txt'))}`))).toBe('hello');
  });

  it('provide name and type', async () => {
    expect(await web.open(at('/hello.txt'), anySignal())).toMatchObject({
      name: 'hello.txt',
      mime: 'text/plain',
    });
    expect(await web.open(at('/named'), anySignal())).toMatchObject({ name: 'a b.pdf', mime: null });
  });

  it.each(['/missing', '/zipped', '/loop'])('fail when they do not return a file: %s', async (path) => {
    await expect(web.open(at(path), anySignal())).rejects.toMatchObject({ code: 'url_failed' });
  });

  it('fail when the server stops halfway or nothing listens', async () => {
    await expect(textOf(at('/cut'))).rejects.toMatchObject({ code: 'url_failed' });
    await expect(textOf(`http://${OUTSIDE}:1/`)).rejects.toMatchObject({ code: 'url_failed' });
  });

  it('are verified over TLS by their names, at the checked address', async () => {
    const { certPath, keyPath } = makeCertificate(temporaryDir());
    const cert = readFileSync(certPath, 'utf8');
    const secure = createTlsServer({ cert, key: readFileSync(keyPath) }, (_, response) =>
      response.end('over TLS'),
    );
    secure.listen(0, OUTSIDE);
    await once(secure, 'listening');
    const names = await DnsServer.start((_, type) => (type === 'A' ? [OUTSIDE] : []));
    const trusted = getCACertificates('default');
    onTestFinished(() => {
      setDefaultCACertificates(trusted);
      names.stop();
      secure.close();
    });
    const overTls = new WebFiles(dnsAddresses([names.address]), publicOr([OUTSIDE]));
    const open = (host: string) => overTls.open(`https://${host}:${portOf(secure)}/a.txt`, anySignal());
    await expect(open('localhost')).rejects.toMatchObject({ code: 'url_failed' });
    setDefaultCACertificates([cert]);
    expect(await open('localhost')).toMatchObject({ name: 'a.txt', lengthBytes: 8 });
    // The certificate is for another name.
    await expect(open('files.test')).rejects.toMatchObject({ code: 'url_failed' });
  });

  it('end when their signal aborts', async () => {
    const aborter = new AbortController();
    const opening = web.open(at('/hangs'), aborter.signal);
    aborter.abort(new Error('enough'));
    await expect(opening).rejects.toThrow('enough');
  });
});

describe('addresses', () => {
  it.each([
    '8.8.8.8',
    '1.1.1.1',
    '172.15.255.255',
    '172.32.0.0',
    '100.128.0.0',
    '2606:4700::1111',
    '2a00::1',
  ])('are public: %s', (address) => expect(isPublicAddress(address)).toBe(true));

  it.each([
    '',
    'files.test',
    '127.0.0.1',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
    '4000::1',
    '1::1',
    'fe80::1%1',
  ])('are not public: %s', (address) => expect(isPublicAddress(address)).toBe(false));

  it('are allowed where the operator says so, and nowhere else', () => {
    const rule = publicOr(['10.1.0.0/16', 'fd00::/8', '192.168.7.7']);
    expect(['10.1.2.3', 'fd12::1', '192.168.7.7', '8.8.8.8'].map(rule)).toEqual([true, true, true, true]);
    expect(['10.2.0.1', 'fc00::1', '192.168.7.8', '127.0.0.1', 'x'].map(rule)).toEqual(Array(5).fill(false));
  });
});
