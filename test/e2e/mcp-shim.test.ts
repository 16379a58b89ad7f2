import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { FakeBot } from '../fakes/telegram/fake-bot.ts';
import { FakeTelegram } from '../fakes/telegram/fake-telegram.ts';
import { claimSignalingPorts } from '../support/free-ports.ts';
import { Gateway } from '../support/gateway.ts';
import { ShimProcess, type Written } from '../support/shim-process.ts';
import { waitFor, within } from '../support/wait-for.ts';

const CHANNEL = 'notifications/claude/channel';

let telegram: FakeTelegram;
let bot: FakeBot;
let gateway: Gateway;
let shim: ShimProcess | null = null;

beforeAll(async () => {
  telegram = await FakeTelegram.start();
  bot = telegram.addBot('shim_bot');
  gateway = await Gateway.start({ env: { SVC_TELEGRAM_API_URL: telegram.url } });
  gateway.secrets.add(bot.token);
  const bots = { platform: 'telegram', bot_token: bot.token };
  expect((await gateway.settingsApi.post('/api/bot-tokens', bots)).status).toBe(200);
});
afterEach(async () => {
  shim?.kill('SIGKILL');
  await shim?.exited;
  shim = null;
});
afterAll(async () => {
  await gateway?.stop();
  await telegram?.stop();
});

function start(env: Record<string, string> = {}, ...args: string[]): ShimProcess {
  shim = new ShimProcess({ SVC_URL: gateway.baseUrl, SVC_API_KEY: gateway.agentKey, ...env }, args);
  return shim;
}

/** An agent key that is there to be revoked. */
async function freshKey(): Promise<{ id: string; key: string }> {
  const { settingsApi } = gateway;
  const [{ id: agent }] = (await settingsApi.get('/api/agents')).body.agents;
  const { body } = await settingsApi.post(`/api/agents/${agent}/keys`, { name: 'shim' });
  const key = `${Object.values<unknown>(body).find((value) => /^svc_[\w-]{32,}$/.test(`${value}`))}`;
  gateway.secrets.add(key);
  return { id: body.id, key };
}

const isPush = (text: string) => (message: Written) =>
  message.method === CHANNEL && message.params.content.includes(text);

describe('svc-mcp with an unusable setting or gateway', () => {
  it.each([
    ['no address', { SVC_URL: '' }, 78, 'SVC_URL must be'],
    ['an invalid address', { SVC_URL: 'gateway.example.com' }, 78, 'SVC_URL must be'],
    ['no key', { SVC_API_KEY: '' }, 78, 'SVC_API_KEY must be'],
    ['a key with a space', { SVC_API_KEY: 'svc_a svc_b' }, 78, 'SVC_API_KEY must be'],
    ['an unknown option', '--stateless', 64, "Unknown option '--stateless'"],
  ])('reports %s and exits', async (_what, given, exitCode, words) => {
    const process = typeof given === 'string' ? start({}, given) : start(given);
    expect(await within('svc-mcp to end', process.exited)).toBe(exitCode);
    expect(process.errors).toContain(words);
    expect(process.written.all).toEqual([]);
  });

  /** Sends the first request; returns the exit code and the message on standard error. */
  async function firstRequest(env: Record<string, string>) {
    const process = start(env);
    const { error } = await process.initialize();
    const exitCode = await within('svc-mcp to end', process.exited);
    expect(process.errors).toBe(`svc-mcp: ${error.message}\n`);
    return { exitCode, words: process.errors };
  }

  it('reports a gateway that is down and exits', async () => {
    const claim = await claimSignalingPorts(1);
    const { exitCode, words } = await firstRequest({ SVC_URL: `http://127.0.0.1:${claim.first}` });
    claim.release();
    expect([exitCode, words]).toEqual([69, expect.stringContaining('ECONNREFUSED')]);
  });

  it('reports an unknown key and exits', async () => {
    const { exitCode, words } = await firstRequest({ SVC_API_KEY: `svc_${'0'.repeat(32)}` });
    expect([exitCode, words]).toEqual([77, expect.stringContaining('401 Invalid or missing API key')]);
  });

  it('reports a settings key, which has no access, and exits', async () => {
    const { exitCode, words } = await firstRequest({ SVC_API_KEY: gateway.settingsKey });
    expect([exitCode, words]).toEqual([77, expect.stringContaining('403 ')]);
  });

  it.each([
    ['an address that answers 404', 404, 'text/plain'],
    ['the address of a web page', 200, 'text/html'],
  ])('reports %s and exits', async (_what, status, type) => {
    const server = createServer((_request, response) => {
      response.writeHead(status, { 'Content-Type': type }).end('hello');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { exitCode } = await firstRequest({ SVC_URL: `http://127.0.0.1:${port}` });
    server.close();
    expect(exitCode).toBe(76);
  });
});

it('accepts the address of the MCP endpoint as that of the gateway', async () => {
  const process = start({ SVC_URL: `${gateway.baseUrl}/mcp` });
  expect((await process.initialize()).result.serverInfo).toMatchObject({ name: expect.any(String) });
});

it('writes only messages to standard output, and exits when its input ends', async () => {
  const process = start({}, '--stateful');
  await process.initialize();
  process.send('this is no JSON');
  process.send({ hello: 'this is no message' });
  expect((await process.call('svc_account')).result.structuredContent.features.channel).toBe('ready');
  await waitFor('words about it', () => process.errors.includes('Invalid JSON-RPC message'));
  const sessions = () => gateway.metric('svc_mcp_sessions');
  expect(await sessions()).toBe(1);
  expect(await process.end()).toBe(0);
  for (const message of process.written.all) expect(message).toMatchObject({ jsonrpc: '2.0' });
  await waitFor('the session to end', async () => (await sessions()) === 0);
});

it('exits when its input ends while a request is pending', async () => {
  const process = start();
  await process.initialize();
  const { last_message_cursor } = (await process.call('svc_account')).result.structuredContent;
  void process.call('svc_inbox', { last_message_cursor, wait: 55 }).catch(() => {});
  const waiters = () => gateway.metric('svc_inbox_waiters');
  await waitFor('it to wait', async () => (await waiters()) === 1);
  expect(await process.end()).toBe(0);
  await waitFor('the gateway to let go', async () => (await waiters()) === 0);
});

it.each(['SIGTERM', 'SIGINT'] as const)('exits with 0 on %s', async (signal) => {
  const process = start();
  await process.initialize();
  process.kill(signal);
  expect(await within('svc-mcp to end', process.exited)).toBe(0);
});

it('exits when the key is revoked', async () => {
  const { id, key } = await freshKey();
  const process = start({ SVC_API_KEY: key }, '--stateful');
  await process.initialize();
  expect((await process.call('svc_account')).result.isError).toBeUndefined();
  expect((await gateway.settingsApi.delete(`/api/api-keys/${id}`)).status).toBe(200);
  // The stream from the gateway ends, and is refused when it is opened again.
  expect(await within('svc-mcp to end', process.exited)).toBe(77);
  expect(process.errors).toContain('401');
});

describe('svc-mcp during a restart of the gateway', () => {
  it('answers with an error meanwhile, and continues in a new session', async () => {
    const process = start({}, '--stateful');
    await process.initialize();
    bot.person({ id: 1, first_name: 'Ada' }).says('before');
    await process.written.next('a push', isPush('before'));
    const { last_message_cursor } = (await process.call('svc_account')).result.structuredContent;
    const waiting = process.call('svc_inbox', { last_message_cursor, wait: 55 });
    await waitFor('it to wait', async () => (await gateway.metric('svc_inbox_waiters')) === 1);
    await gateway.killHard();
    expect((await process.call('svc_account')).error.message).toContain('Cannot reach');
    await gateway.restart();
    expect((await process.call('svc_account')).result.structuredContent.features.channel).toBe('ready');
    expect((await waiting).error.message).toContain('may or may not have taken effect');
    bot.person({ id: 1, first_name: 'Ada' }).says('after');
    await process.written.next('a push of the new session', isPush('after'));
    expect(await process.end()).toBe(0);
  });

  it('continues without a session', async () => {
    const process = start();
    await process.initialize();
    await gateway.killHard();
    await gateway.restart();
    expect((await process.call('svc_account')).result.structuredContent.features.channel).toBe('poll');
  });
});
