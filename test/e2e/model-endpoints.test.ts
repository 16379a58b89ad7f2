import { afterAll, beforeAll, expect, it } from 'vitest';
import { FakeCustom } from '../fakes/custom/fake-custom.ts';
import type { ReplyPart } from '../fakes/model-vendor/scripted-reply.ts';
import type { VendorCall } from '../fakes/model-vendor/vendor-exchange.ts';
import { badKey } from '../fakes/responses/responses-errors.ts';
import { Gateway } from '../support/gateway.ts';

/** A model server on this machine: it knows no keys, and takes requests without any. */
class LocalServer extends FakeCustom {
  protected override authorize({ headers: { authorization } }: VendorCall): void {
    if (authorization !== undefined) throw badKey(authorization);
  }
}

/** A model that thinks for ever. */
async function* silence(): AsyncGenerator<ReplyPart> {
  await new Promise(() => undefined);
  yield { kind: 'text', text: '' };
}

let gateway: Gateway;
let server: LocalServer;
let agent: string;

beforeAll(async () => {
  server = await new LocalServer().start();
  gateway = await Gateway.start({ env: { SVC_MODELS_ALLOW: '127.0.0.0/8' } });
  const { agents } = (await gateway.settingsApi.get('/api/agents')).body;
  agent = `/api/agents/${agents[0].id}`;
});
afterAll(async () => {
  await gateway?.stop();
  await server?.stop();
});

const setEndpoint = (endpoint: string) =>
  gateway.settingsApi.patch(`${agent}/provider`, {
    provider: 'custom',
    config: { endpoint, model: 'llama-5-8b' },
  });

const atLocalhost = (path: string) => server.url.replace('127.0.0.1', 'localhost') + path;

it('a server at localhost without a key is called, and a request waits for the result', async () => {
  expect(server.url).toContain('127.0.0.1');
  expect((await setEndpoint(atLocalhost('/v1'))).status).toBe(200);
  const checked = await gateway.settingsApi.post(`${agent}/provider/healthcheck?wait=30`);
  expect([checked.status, checked.body.status, checked.body.health]).toEqual([200, 'delivered', 'ok']);
  const tested = await gateway.settingsApi.post(`${agent}/test?wait=30`);
  expect([tested.status, tested.body.status]).toEqual([200, 'delivered']);
  for (const { body } of [checked, tested]) {
    expect(body.result_path).toBe(`/api/agent-deliveries/${body.id}`);
    const { result_path, ...delivery } = body;
    expect((await gateway.settingsApi.get(result_path)).body).toEqual(delivery);
  }
});

it('without a wait, and after a wait in vain, the delivery is under way', async () => {
  await setEndpoint(atLocalhost('/v1'));
  server.reply = silence;
  const started = performance.now();
  const waited = await gateway.settingsApi.post(`${agent}/test?wait=1`);
  const tookMs = performance.now() - started;
  expect([waited.status, waited.body.status]).toEqual([202, 'sent']);
  expect(tookMs).toBeGreaterThan(900);
  expect(tookMs).toBeLessThan(20_000);
  const queued = await gateway.settingsApi.post(`${agent}/test`);
  expect([queued.status, queued.body.status]).toEqual([202, 'queued']);
  expect(queued.body.result_path).toBe(`/api/agent-deliveries/${queued.body.id}`);
});

it.each(['-1', '56', '1.5', 'long'])('a wait of %s is refused, and nothing is queued', async (wait) => {
  const before = (await gateway.settingsApi.get(`${agent}/deliveries`)).body.total;
  expect((await gateway.settingsApi.post(`${agent}/test?wait=${wait}`)).status).toBe(422);
  expect((await gateway.settingsApi.get(`${agent}/deliveries`)).body.total).toBe(before);
});

it.each([
  ['http://10.1.2.3:11434/v1', 'SVC_MODELS_ALLOW'],
  ['http://169.254.169.254/v1', 'SVC_MODELS_ALLOW'],
  ['http://[::1]:1234/v1', 'SVC_MODELS_ALLOW'],
  ['http://localhost:1234/v1/completions', 'http://localhost:1234/v1/responses'],
])('%s is refused at once', async (endpoint, words) => {
  const { status, body } = await setEndpoint(endpoint);
  expect([status, body.detail[0].loc]).toEqual([422, ['body', 'config', 'endpoint']]);
  expect(body.detail[0].msg).toContain(words);
});
