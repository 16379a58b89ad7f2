import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Gateway } from '../support/gateway.ts';

const run = promisify(execFile);
const require = createRequire(import.meta.url);
const PACKAGE = require.resolve('@modelcontextprotocol/inspector/package.json');
const INSPECTOR = join(PACKAGE, '../clients/launcher/build/index.js');

let gateway: Gateway;

beforeAll(async () => {
  gateway = await Gateway.start({});
});
afterAll(() => gateway?.stop());

/** What the official inspector prints; rejects when it ends with an error. */
async function inspect(path: string, ...more: readonly string[]) {
  const header = `Authorization: Bearer ${gateway.agentKey}`;
  const target = ['--transport', 'http', '--server-url', `${gateway.baseUrl}${path}`, '--header', header];
  return await run(process.execPath, [INSPECTOR, '--cli', ...target, ...more]);
}

it.each(['/mcp/', '/mcp/?stateful'])(
  'the inspector finds nothing in the tools at %s when it is strict',
  async (path) => {
    const { stdout, stderr } = await inspect(path, '--method', 'tools/list', '--strict');
    expect(JSON.parse(stdout).tools).toHaveLength(16);
    expect(stderr).toBe('');
  },
);

it('the inspector calls a tool, whose answer fits its schema', async () => {
  const { stdout } = await inspect('/mcp/', '--method', 'tools/call', '--tool-name', 'svc_account');
  expect(JSON.parse(stdout).structuredContent).toMatchObject({ concurrent_calls: { active: 0 } });
});
