import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
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

it.each(['SVC_PORT', 'SVC_SIP_PORT', 'SVC_SIP_TLS_PORT'])(
  'names %s when its port is in use',
  async (setting) => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void other.close());
    const { port } = other.address() as { port: number };
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
    expect(complaint).toMatch(new RegExp(`^ {2}[^\\n]*\\b${port}\\b[^\\n]*in use[^\\n]*\\b${setting}\\b`));
  },
);
