import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readOptions } from '../../src/mcp-shim/options.mjs';

const ROOT = join(import.meta.dirname, '../..');
const SHIM = join(ROOT, 'src/mcp-shim');
const MAX_INSTALLED_BYTES = 30 * 1_000_000;

interface Manifest {
  readonly name: string;
  readonly bin: Record<string, string>;
  readonly dependencies?: Record<string, string>;
  readonly scripts?: Record<string, string>;
  readonly engines?: { readonly node?: string };
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/** The files that `npm pack` puts into the tarball. */
function packedFiles(): string[] {
  const args = ['pack', '--dry-run', '--json', '--workspace', 'src/mcp-shim'];
  const told = JSON.parse(execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' }));
  const [{ files }] = Object.values(told) as [{ files: { path: string }[] }];
  return files.map(({ path }) => path);
}

/** Every package that installing the shim brings along, as installed here. */
function installedPackages(): Map<string, string> {
  const folders = new Map<string, string>();
  const add = (names: readonly string[], from: string): void => {
    for (const name of names) {
      const nested = join(from, 'node_modules', name);
      const folder = existsSync(nested) ? nested : join(ROOT, 'node_modules', name);
      if (folders.has(folder)) continue;
      folders.set(folder, name);
      add(Object.keys(manifestOf(folder).dependencies ?? {}), folder);
    }
  };
  add(Object.keys(manifestOf(SHIM).dependencies!), SHIM);
  return folders;
}

function bytesOf(folder: string): number {
  const files = globSync('**', { cwd: folder }).map((path) => statSync(join(folder, path)));
  return files.reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0);
}

test('the package contains the program, its licence and its README, and imports only its dependencies', () => {
  const { bin, dependencies } = manifestOf(SHIM);
  const files = packedFiles();
  expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json', bin['svc-mcp']]));
  expect(readFileSync(join(SHIM, bin['svc-mcp']!), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
  const sources = files.filter((name) => name.endsWith('.mjs'));
  expect(sources.sort()).toEqual(globSync('*.mjs', { cwd: SHIM }).sort());
  const imported = sources.flatMap((name) =>
    [...readFileSync(join(SHIM, name), 'utf8').matchAll(/ from '([^']+)';/g)].map(([, from]) => from!),
  );
  const packages = new Set(imported.filter((from) => !/^(\.\/[\w-]+\.mjs|node:)/.test(from)));
  expect([...packages]).toEqual(Object.keys(dependencies!));
});

test('installing the package takes less than 30 MB, builds nothing and works with Node 20', () => {
  let bytes = bytesOf(SHIM);
  for (const [folder, name] of installedPackages()) {
    bytes += bytesOf(folder);
    expect(globSync('**/*.{node,gyp}', { cwd: folder }), name).toEqual([]);
    const { scripts = {}, engines } = manifestOf(folder);
    expect(Object.keys(scripts), name).not.toEqual(expect.arrayContaining(['install']));
    expect(Object.keys(scripts), name).not.toEqual(expect.arrayContaining(['postinstall']));
    expect(engines?.node ?? '>=20', name).toMatch(/^>= ?(8|1\d|20)\b/);
  }
  expect(bytes).toBeLessThan(MAX_INSTALLED_BYTES);
  expect(manifestOf(SHIM).engines).toEqual({ node: '>=20' });
});

test('the program starts from a folder of its own, without a warning', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-mcp-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const program = join(folder, 'node_modules/svc-mcp');
  for (const file of packedFiles()) cpSync(join(SHIM, file), join(program, file));
  for (const [installed, name] of installedPackages())
    cpSync(installed, join(folder, 'node_modules', name), { recursive: true, dereference: true });
  const started = spawnSync(process.execPath, [join(program, 'svc-mcp.mjs'), '--help'], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
    timeout: 60_000,
  });
  expect(started).toMatchObject({ status: 0, stderr: '' });
  expect(started.stdout).toContain('Usage: svc-mcp');
});

test('the gateway does not depend on the package', () => {
  const { dependencies } = manifestOf(ROOT);
  expect(dependencies).not.toHaveProperty(['@modelcontextprotocol/client']);
  expect(dependencies).not.toHaveProperty('svc-mcp');
});

test.each([
  ['https://gateway.example.com', 'https://gateway.example.com/mcp/'],
  ['https://gateway.example.com/', 'https://gateway.example.com/mcp/'],
  ['https://gateway.example.com/mcp', 'https://gateway.example.com/mcp/'],
  ['https://gateway.example.com/mcp/?stateful', 'https://gateway.example.com/mcp/'],
  ['http://127.0.0.1:8080/voice', 'http://127.0.0.1:8080/voice/mcp/'],
  ['http://127.0.0.1:8080/voice/', 'http://127.0.0.1:8080/voice/mcp/'],
])('finds the endpoint of %s', (SVC_URL, endpoint) => {
  const env = { SVC_URL, SVC_API_KEY: 'svc_x' };
  expect(readOptions([], env)?.url.href).toBe(endpoint);
  expect(readOptions(['--stateful'], env)?.url.href).toBe(`${endpoint}?stateful=`);
});
