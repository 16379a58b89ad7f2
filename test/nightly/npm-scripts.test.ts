import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Child } from '../support/child.ts';
import { waitFor, within } from '../support/wait-for.ts';

const ROOT = join(import.meta.dirname, '../..');

let dataDir: string;

beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'scripts-'));
});

afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

function npm(args: readonly string[]) {
  const settings = { SVC_HOST: '127.0.0.1', SVC_PORT: '0', SVC_SIP_HOST: '127.0.0.1', SVC_SIP_PORT: '0' };
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, SVC_DATA_DIR: dataDir, ...settings };
  return { command: 'npm', args: ['run', '--silent', ...args], options: { cwd: ROOT, env } };
}

/** What each prints when it runs. */
const SCRIPTS: readonly (readonly [string, readonly string[], RegExp])[] = [
  ['start', ['start'], /is ready/],
  ['dev', ['dev'], /is ready/],
  ['fake', ['fake', '--', 'telegram'], /SVC_TELEGRAM_API_URL/],
  ['demo', ['demo'], /Two gateways/],
  ['bench', ['bench', '--', 'mix', '--quick'], /mix:/],
];

test.each(SCRIPTS)('a signal to npm ends what "npm run %s" started', async (_, args, running) => {
  const { command, args: all, options } = npm(args);
  const script = new Child(command, all, options);
  await waitFor('the script to run', () => running.test(script.output));
  script.kill('SIGTERM');
  // Only when every process below npm, too, has closed the pipe of its output.
  await within('all processes to end', script.exited);
});

test.each([
  ['start', '--prot', 'did you mean --port?'],
  ['fake', 'telegramm', 'npm run fake -- <name>'],
  ['demo', 'tlak', 'npm run demo [-- talk|agent]'],
  ['bench', 'cals', 'npm run bench -- [NAME…]'],
])('npm run %s refuses %s with its usage and 64', (script, argument, told) => {
  const { command, args, options } = npm([script, '--', argument]);
  const { status, stderr } = spawnSync(command, args, options);
  expect(`${stderr}`).toContain(told);
  expect(status).toBe(64);
});

test.each([
  ['start', /--data-dir \(\.\/data\)/],
  ['fake', /telegram/],
  ['demo', /talk/],
  ['bench', /--quick/],
])('npm run %s has --help', (script, told) => {
  const { command, args, options } = npm([script, '--', '--help']);
  const { status, stdout } = spawnSync(command, args, options);
  expect(`${stdout}`).toMatch(told);
  expect(status).toBe(0);
});
