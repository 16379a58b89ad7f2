import { execFile, execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect, promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startCommand } from '../support/start-command.ts';

const SRC = join(import.meta.dirname, '../../src');
/** Those of `npm start`. */
const NODE_FLAGS = startCommand.slice(1, -1);

/** Reports that it builds a bundle, and builds one that reports what it is. */
const STUB_BUNDLER = `
  const { mkdirSync, writeFileSync } = require('node:fs');
  exports.bundleIntoCache = async (dir) => {
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
  const output = execFileSync(process.execPath, [...NODE_FLAGS, join(root, 'src/start.cjs')], {
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
    "exports.bundleIntoCache = async () => { throw new Error('read-only'); };",
  );
  expect(start()).toEqual(['runs the sources']);
});

test('a gateway without sources runs the bundle that it was shipped with, and bundles nothing', () => {
  rmSync(join(root, 'src/main.ts'));
  mkdirSync(join(root, 'build/gateway'), { recursive: true });
  writeFileSync(join(root, 'build/gateway/main.cjs'), "console.log('runs the shipped bundle')");
  expect(start()).toEqual(['runs the shipped bundle']);
});

test('Node gets its flags whether the command line gives them or not, and the program its arguments', () => {
  writeFileSync(
    join(root, 'src/main.ts'),
    'console.log(process.pid, process.execArgv, process.argv.slice(2));\n',
  );
  writeFileSync(
    join(root, 'config/bundle.cjs'),
    "exports.bundleIntoCache = async () => { throw new Error('read-only'); };",
  );
  const run = (...flags: string[]) => {
    const { stdout, pid } = spawnSync(process.execPath, [
      ...flags,
      join(root, 'src/start.cjs'),
      '--port',
      '1',
    ]);
    return `${stdout}`.replace(`${pid} `, 'same process ').trim();
  };
  const expected = `${inspect(NODE_FLAGS)} [ '--port', '1' ]`;
  expect(run(...NODE_FLAGS)).toBe(`same process ${expected}`);
  expect(run()).toBe(`same process ${expected}`);
});

test('a Node that is too old says so in one line', () => {
  const old = "Object.defineProperty(process.versions, 'node', { value: '22.17.1' });";
  writeFileSync(join(root, 'old.cjs'), old);
  const { status, stderr } = spawnSync(process.execPath, [
    '-r',
    join(root, 'old.cjs'),
    join(root, 'src/start.cjs'),
  ]);
  expect(`${stderr}`).toBe(
    'The gateway needs Node 22.18 or newer; this is 22.17.1. In a checkout, "npm start" brings one.\n',
  );
  expect(status).toBe(69);
});

test('package.json, run.sh and start.cjs agree on the oldest Node', () => {
  const [major, minor] = /OLDEST_NODE = \[(\d+), (\d+)\]/.exec(file('src/start.cjs'))?.slice(1) ?? [];
  expect(JSON.parse(file('package.json')).engines.node).toBe(`>=${major}.${minor}`);
  expect(file('config/run.sh')).toContain(`NODE_MAJOR=${major} NODE_MINOR=${minor}\n`);
});

test('scripts that start at the same time install once', async () => {
  const bin = join(root, 'bin');
  mkdirSync(bin);
  writeFileSync(join(root, 'package-lock.json'), '{}');
  cpSync(join(SRC, '../config/run.sh'), join(root, 'config/run.sh'));
  writeFileSync(join(bin, 'node'), '#!/bin/sh\n[ "$1" != --version ] || echo v22.18.0\n', { mode: 0o755 });
  const npm =
    '#!/bin/sh\necho install >> npm.log\nmkdir -p node_modules/kysely\ntouch node_modules/.package-lock.json\n';
  writeFileSync(join(bin, 'npm'), npm, { mode: 0o755 });
  // The lock of a script that was killed.
  symlinkSync('4194305', join(root, '.installing'));
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` };
  const run = () => promisify(execFile)('sh', ['config/run.sh', 'production'], { cwd: root, env });
  await Promise.all([run(), run()]);
  expect(readFileSync(join(root, 'npm.log'), 'utf8')).toBe('install\n');
  expect(existsSync(join(root, '.installing'))).toBe(false);
});

test('the image and the service start the same way as npm start', () => {
  const command = ['node', ...NODE_FLAGS, 'src/start.cjs'];
  const ofImage = /^CMD (\[.*\])$/m.exec(file('Dockerfile'))?.[1] ?? '';
  expect(JSON.parse(ofImage)).toEqual(command);
  // Whatever Node the system has gets from start.cjs what its version needs.
  const ofAnyNode = command.filter((part) => !part.startsWith('--experimental'));
  const ofService = /^ExecStart=\/usr\/bin\/(.*)$/m.exec(file('config/voice-chat-gateway.service'))?.[1];
  expect(ofService).toBe(ofAnyNode.join(' '));
});

test('both stages of the image have the Node that is pinned', () => {
  const images = [...file('Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, name]) => name);
  const pinned = `node:${JSON.parse(file('config/node/package.json')).version}-bookworm-slim`;
  expect(images).toEqual([pinned, pinned]);
});

function file(name: string): string {
  return readFileSync(join(SRC, '..', name), 'utf8');
}
