import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readOptions } from '../../src/mcp-shim/options.mjs';

const ROOT = join(import.meta.dirname, '../..');
const { bin, dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

test('the command can be started by any Node, with what a package brings', () => {
  expect(readFileSync(join(ROOT, bin['svc-mcp']), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
  const sources = globSync('*.mjs', { cwd: join(ROOT, 'src/mcp-shim') }).map((name) =>
    readFileSync(join(ROOT, 'src/mcp-shim', name), 'utf8'),
  );
  const imported = sources.flatMap((source) =>
    [...source.matchAll(/ from '([^']+)';/g)].map(([, from]) => from!),
  );
  const packages = new Set(imported.filter((from) => !/^(\.\/[\w-]+\.mjs|node:)/.test(from)));
  expect(packages.size).toBeGreaterThan(0);
  for (const name of packages) expect(dependencies).toHaveProperty([name.split('/').slice(0, 2).join('/')]);
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
