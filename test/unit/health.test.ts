import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

let root: string;
let server: Server;
let status: number;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'health-'));
  for (const folder of ['src', 'config']) mkdirSync(join(root, folder));
  cpSync(join(import.meta.dirname, '../../src/health.cjs'), join(root, 'src/health.cjs'));
  status = 200;
  server = createServer((request, response) =>
    response.writeHead(request.url === '/readyz' ? status : 404).end(),
  );
});

afterEach(() => {
  server.close();
  rmSync(root, { recursive: true });
});

/** Starts the server on this address and returns its port. */
async function listen(host: string): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return `${(server.address() as AddressInfo).port}`;
}

/** The exit code of the health check and what it wrote. */
function check(env: Record<string, string> = {}): Promise<{ code: number; reason: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [join(root, 'src/health.cjs')], { env }, (error, _stdout, reason) =>
      resolve({ code: Number(error?.code ?? 0), reason }),
    );
  });
}

test.each([
  ['an address of its own', '127.0.0.2', '127.0.0.2'],
  ['all IPv4 addresses', '0.0.0.0', '0.0.0.0'],
  ['the default address', '127.0.0.1', ''],
])('a gateway on %s is healthy', async (_name, host, SVC_HOST) => {
  const SVC_PORT = await listen(host);
  expect(await check({ SVC_HOST, SVC_PORT })).toEqual({ code: 0, reason: '' });
});

test('the settings file counts where the environment is silent', async () => {
  const port = await listen('127.0.0.3');
  writeFileSync(
    join(root, 'config/gateway.json'),
    JSON.stringify({ SVC_HOST: '127.0.0.4', SVC_PORT: Number(port) }),
  );
  expect(await check({ SVC_HOST: '127.0.0.3' })).toEqual({ code: 0, reason: '' });
});

test('a gateway that is not ready is unhealthy, and so is one that is not there', async () => {
  const SVC_PORT = await listen('127.0.0.1');
  status = 503;
  expect(await check({ SVC_PORT })).toEqual({ code: 1, reason: '/readyz answers 503\n' });
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  const gone = await check({ SVC_PORT });
  expect(gone.code).toBe(1);
  expect(gone.reason).toContain('ECONNREFUSED');
});
