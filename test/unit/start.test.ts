import { execFileSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const SRC = join(import.meta.dirname, '../../src');

/** Reports that it builds a bundle, and builds one that reports what it is. */
const STUB_BUNDLER = `
  const { mkdirSync, writeFileSync } = require('node:fs');
  exports.bundle = async (dir) => {
    console.log('bundles');
    mkdirSync(dir, { recursive: true });
    writeFileSync(dir + '/main.cjs', "console.log('runs the bundle')");
  };`;

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'start-'));
  for (const folder of ['src/base', 'config', 'node_modules'])
    mkdirSync(join(root, folder), { recursive: true });
  for (const file of ['start.cjs', 'bundle-dir.cjs']) cpSync(join(SRC, file), join(root, 'src', file));
  writeFileSync(join(root, 'src/main.ts'), "console.log('runs the sources' satisfies string);\n");
  writeFileSync(join(root, 'src/base/ids.ts'), '');
  writeFileSync(join(root, 'config/bundle.cjs'), STUB_BUNDLER);
  writeFileSync(join(root, 'node_modules/.package-lock.json'), '{}');
});

afterEach(() => rmSync(root, { recursive: true }));

function start(): string[] {
  const output = execFileSync(process.execPath, [join(root, 'src/start.cjs')], {
    encoding: 'utf8',
    stdio: 'pipe',
  });
  return output.trim().split('\n');
}

test('the first start builds the bundle, and later ones run it', () => {
  expect(start()).toEqual(['bundles', 'runs the bundle']);
  expect(start()).toEqual(['runs the bundle']);
});

test.each(['src/main.ts', 'src/base/ids.ts', 'config/bundle.cjs', 'node_modules/.package-lock.json'])(
  'a change of %s rebuilds the bundle',
  (file) => {
    start();
    appendFileSync(join(root, file), '\n');
    expect(start()).toEqual(['bundles', 'runs the bundle']);
  },
);

test('the sources run when no bundle can be built', () => {
  writeFileSync(
    join(root, 'config/bundle.cjs'),
    "exports.bundle = async () => { throw new Error('read-only'); };",
  );
  expect(start()).toEqual(['runs the sources']);
});

test('the image starts the same way as npm start', () => {
  const file = (name: string) => readFileSync(join(SRC, '..', name), 'utf8');
  const command = /^CMD (\[.*\])$/m.exec(file('Dockerfile'))?.[1] ?? '';
  expect(JSON.parse(command).join(' ')).toBe(JSON.parse(file('package.json')).scripts.start);
});
