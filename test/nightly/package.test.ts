import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Child } from '../support/child.ts';
import { waitFor, within } from '../support/wait-for.ts';

const ROOT = join(import.meta.dirname, '../..');
/** npx installs the packages of production first. */
const INSTALL_MS = 110_000;
const { name, version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'package-'));
  execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: ROOT, stdio: 'pipe' });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('npx starts the package in an empty folder, and Ctrl-C ends it', async () => {
  const options = ['--port', '0', '--sip-port', '0', '--sip-host', '127.0.0.1'];
  const npx = new Child('npx', ['--yes', `./${name}-${version}.tgz`, ...options], {
    cwd: folder,
    detached: true,
  });
  const url = await waitFor('the banner', () => /HTTP {3}(http:\S+)/.exec(npx.output)?.[1], INSTALL_MS);
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  const { info } = (await (await fetch(`${url}/openapi.json`)).json()) as { info: { version: string } };
  expect(info.version).toBe(version);
  const page = await (await fetch(`${url}/dashboard/calls`)).text();
  const script = /src="([^"]+\.js)"/.exec(page)?.[1] ?? 'none';
  expect((await fetch(new URL(script, `${url}/dashboard/calls`))).status).toBe(200);
  // To the whole group, as a terminal does: npx itself passes no signal on.
  process.kill(-npx.pid, 'SIGINT');
  // Only when the gateway, too, has closed the pipe of its output.
  await within('the gateway to end', npx.exited);
});
