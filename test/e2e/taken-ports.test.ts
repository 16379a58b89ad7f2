import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { type Certificate, makeCertificate } from '../support/certificate.ts';
import { spawnGateway } from '../support/gateway-process.ts';
import { within } from '../support/wait-for.ts';

/** sysexits.h: EX_UNAVAILABLE. */
const EXIT_UNAVAILABLE = 69;

let certificate: Certificate;

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'gateway-ports-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

beforeAll(() => {
  const path = mkdtempSync(join(tmpdir(), 'gateway-certificate-'));
  certificate = makeCertificate(path);
  return () => rmSync(path, { recursive: true, force: true });
});

async function takenTcp(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

async function takenUdp(): Promise<number> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onTestFinished(() => void socket.close());
  return socket.address().port;
}

it.each([
  ['SVC_PORT', 'TCP', takenTcp],
  ['SVC_SIP_PORT', 'TCP', takenTcp],
  ['SVC_SIP_PORT', 'UDP', takenUdp],
  ['SVC_SIP_TLS_PORT', 'TCP', takenTcp],
] as const)('names %s when its %s port is in use', async (setting, _transport, take) => {
  const port = await take();
  const gateway = spawnGateway({
    SVC_DATA_DIR: folder(),
    SVC_HOST: '127.0.0.1',
    SVC_PORT: '0',
    SVC_SIP_HOST: '127.0.0.1',
    SVC_SIP_PORT: '0',
    SVC_SIP_TLS_PORT: '0',
    SVC_SIP_TLS_CERT_FILE: certificate.certPath,
    SVC_SIP_TLS_KEY_FILE: certificate.keyPath,
    [setting]: `${port}`,
  });
  onTestFinished(() => void gateway.stop());
  expect(await within('the gateway to give up', gateway.exited)).toBe(EXIT_UNAVAILABLE);
  const [, complaint] = gateway.output.split('The gateway cannot start:\n');
  expect(gateway.output).not.toMatch(/ {4}at |svc_/);
  expect(complaint).toMatch(new RegExp(`^ {2}[^\\n]*\\b${port}\\b[^\\n]*in use[^\\n]*\\b${setting}\\b`));
});
