import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { fileRoutes } from '../../../src/api/rest/files.ts';
import { dnsAddresses } from '../../../src/base/find-addresses.ts';
import { publicOr } from '../../../src/base/public-address.ts';
import { WebFiles } from '../../../src/files/web-files.ts';
import { DnsServer } from '../../support/dns-server.ts';
import { BLOCKED, HOSTILE, OUTSIDE, ported, zone } from '../../support/hostile-urls.ts';
import { MAX_BYTES, PUBLIC_URL, testFiles } from '../files/test-files.ts';
import { AGENT, served } from './served.ts';

async function listening(host: string, listener: RequestListener): Promise<Server> {
  const server = createServer(listener).listen(0, host);
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return server;
}

const portOf = (server: Server) => (server.address() as AddressInfo).port;

/** `POST /api/files` on a real server that uses our DNS server, and a count of requests to internal addresses. */
async function startServer() {
  const dns = await DnsServer.start(zone);
  onTestFinished(() => dns.stop());
  const hits = { inside: 0 };
  const inside = await listening('127.0.0.1', (_, response) => {
    hits.inside += 1;
    response.end('secret');
  });
  const outside = await listening(OUTSIDE, (request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://x');
    const to = searchParams.get('to');
    if (to !== null) response.writeHead(302, { Location: to }).end();
    else if (pathname === '/hello.txt')
      response.writeHead(200, { 'Content-Type': 'text/plain' }).end('hello');
    else if (pathname.startsWith('/bytes/')) response.end(Buffer.alloc(Number(pathname.split('/')[2])));
    else response.writeHead(404).end();
  });
  const { files } = await testFiles();
  const web = new WebFiles(dnsAddresses([dns.address]), publicOr([OUTSIDE]));
  const { url: base } = await served(
    fileRoutes({ ...files, web }, () => PUBLIC_URL),
    { authenticate: () => ({ ...AGENT, accountId: 'acc_a' }) },
  );
  /** The raw response, preceded by its status. */
  const fetched = async (url: string): Promise<string> => {
    const body = JSON.stringify({ url: ported(url, portOf(inside), portOf(outside)) });
    const answer = await fetch(`${base}/api/files`, { method: 'POST', headers: { 'X-API-Key': 'k' }, body });
    return `${answer.status} ${await answer.text()}`;
  };
  return { fetched, hits, outside: `http://files.test:${portOf(outside)}` };
}

const REFUSAL = `${BLOCKED.status} ${JSON.stringify({ detail: BLOCKED.message, code: BLOCKED.code })}`;

it('returns the same refusal for all hostile URLs, and never reaches the internal network', async () => {
  const { fetched, hits } = await startServer();
  const answers = new Map<string, string[]>();
  for (const url of HOSTILE) {
    const answer = await fetched(url);
    answers.set(answer, [...(answers.get(answer) ?? []), url]);
  }
  expect([...answers.keys()]).toEqual([REFUSAL]);
  expect([answers.get(REFUSAL)!.length, hits.inside]).toEqual([HOSTILE.length, 0]);
});

it('refuses a redirect to an internal address, and a name that has moved to one', async () => {
  const { fetched, hits } = await startServer();
  for (const inside of [
    'http://127.0.0.1:IN/',
    'http://localhost:IN/',
    'http://[::ffff:127.0.0.1]:IN/',
    'file:///x',
  ])
    expect(await fetched(`http://files.test:OUT/x?to=${inside}`)).toBe(REFUSAL);
  const name = 'http://r.flips.test:OUT/hello.txt';
  expect([await fetched(name), await fetched(name)]).toEqual([expect.stringMatching(/^200 /), REFUSAL]);
  expect(await fetched(`http://s.flips.test:OUT/x?to=http://s.flips.test:OUT/hello.txt`)).toBe(REFUSAL);
  expect(hits.inside).toBe(0);
});

it('fetches from public addresses, up to the size limit', async () => {
  const { fetched, outside } = await startServer();
  for (const url of [`${outside}/hello.txt`, `http://${OUTSIDE}:OUT/hello.txt`, `${outside}/x?to=/hello.txt`])
    expect(await fetched(url)).toMatch(/^200 .*"size":5/);
  expect(await fetched(`${outside}/bytes/${MAX_BYTES}`)).toMatch(/^200 /);
  expect(await fetched(`${outside}/bytes/${MAX_BYTES + 1}`)).toBe(
    `413 {"detail":"File exceeds max size (${MAX_BYTES} bytes)","code":"file_too_large"}`,
  );
  expect(await fetched(`${outside}/missing`)).toBe(
    '502 {"detail":"The URL could not be fetched","code":"url_failed"}',
  );
});
