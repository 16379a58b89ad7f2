import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProviderStatus } from '../../src/inline/provider/provider-status.ts';
import type { VendorFault } from '../fakes/model-vendor/vendor-fault.ts';
import type { AnyJson } from '../support/any-json.ts';
import { KindsGateway } from '../support/kinds-gateway.ts';
import { MODEL_KINDS } from '../support/model-kinds.ts';
import { waitFor } from '../support/wait-for.ts';

let world: KindsGateway;

beforeAll(async () => {
  world = await KindsGateway.start();
});
afterAll(async () => {
  await world?.stop();
});

/** A word for each kind, so that nobody answers with another's. */
const WORDS = new Map(MODEL_KINDS.map((kind, at) => [kind, `heron${String.fromCharCode(97 + at)}`]));

describe('a healthcheck', () => {
  // It also finds out how a custom endpoint remembers.
  it.each(MODEL_KINDS)('of $name is passed', async (kind) => {
    expect(await world.of(kind).agent.health()).toBe('ok');
  });
});

describe('somebody who writes to a model', () => {
  it.concurrent.each(MODEL_KINDS)('of $name gets a reply', async (kind) => {
    const { reply, delivery } = await world.ask(kind, `Remember this word: ${WORDS.get(kind)}`);
    expect(reply).toBe('OK');
    expect(delivery).toMatchObject({
      event_type: 'dm_chat',
      response_body: 'OK',
      provider: kind.provider,
      attempts: 1,
      actions: [{ action: { kind: 'write', text: 'OK' }, status: 'done' }],
      usage: { input_tokens: expect.any(Number), output_tokens: expect.any(Number) },
    });
  });
});

describe('what somebody wrote', () => {
  it.concurrent.each(MODEL_KINDS)('is remembered at $name', async (kind) => {
    const { reply, delivery } = await world.ask(kind, 'Which word?');
    expect([reply, delivery.attempts]).toEqual([WORDS.get(kind), 1]);
  });
});

describe('a conversation that the vendor has lost', () => {
  beforeAll(() => world.vendors.loseAll());

  it.concurrent.each(MODEL_KINDS)('is made again at $name', async (kind) => {
    const { reply, delivery } = await world.ask(kind, 'Which word?');
    expect([reply, delivery.attempts]).toEqual([WORDS.get(kind), kind.isKept ? 2 : 1]);
  });
});

describe('conversations that are reset', () => {
  it.each(MODEL_KINDS)('are deleted at $name', async (kind) => {
    const { vendors, gateway } = world;
    const count = () => kind.deletable?.(vendors) ?? 0;
    const before = count();
    expect(before > 0).toBe(kind.deletable !== null);
    const path = `/api/agents/${world.of(kind).agent.id}/reset-conversations`;
    expect((await gateway.settingsApi.post(path)).body).toMatchObject({ status: 'ok' });
    await waitFor('the deletion at the vendor', () => count() === Math.max(before - 1, 0));
  });
});

describe('a conversation that was reset', () => {
  it.concurrent.each(MODEL_KINDS)('is forgotten at $name', async (kind) => {
    expect((await world.ask(kind, 'Which word?')).reply).toBe('I do not know.');
  });
});

it.each(MODEL_KINDS)('browsing shows what $name offers, and no key', async (kind) => {
  const { agent } = world.of(kind);
  const path = `/api/agents/${agent.id}/provider/browse`;
  const browse = async (config: object) =>
    await world.gateway.settingsApi.post(path, { provider: kind.provider, config });
  const { status, body } = await browse({});
  expect(status).toBe(200);
  const { model, agent: hosted } = kind.offers;
  expect(body.models.map(({ id }: AnyJson) => id)).toContain(model);
  expect(body.agents.flatMap(({ id, name }: AnyJson) => [id, name])).toEqual(
    hosted === null ? [] : expect.arrayContaining([hosted]),
  );
  const refused = await browse(kind.wrongKey);
  expect(refused.status).toBe(400);
  for (const secret of Object.values(kind.wrongKey))
    expect(JSON.stringify(refused.body)).not.toContain(secret);
});

const PAGE = '<html><body>Welcome to nginx!</body></html>';

/** Faults of vendors, and what a healthcheck is to say of them. */
const FAULTS: readonly (readonly [string, VendorFault, ProviderStatus])[] = [
  ['no access', { kind: 'refuse', why: 'no_access' }, 'no_access'],
  ['no credit', { kind: 'refuse', why: 'quota' }, 'quota'],
  ['too often', { kind: 'refuse', why: 'rate_limited' }, 'overloaded'],
  ['overloaded', { kind: 'refuse', why: 'overloaded' }, 'overloaded'],
  ['failing', { kind: 'refuse', why: 'server_error' }, 'overloaded'],
  ['another server', { kind: 'answer', status: 404, body: PAGE }, 'bad_endpoint'],
  ['a page', { kind: 'answer', status: 200, body: PAGE }, 'bad_endpoint'],
  ['elsewhere', { kind: 'answer', status: 302, body: '', headers: { location: '/' } }, 'bad_endpoint'],
  // The last one, since tokens are thrown away.
  ['bad key', { kind: 'refuse', why: 'bad_key' }, 'key_rejected'],
];

describe('a healthcheck that fails', () => {
  it.each(MODEL_KINDS)('at $name tells every fault from the others', async (kind) => {
    const { agent } = world.of(kind);
    const vendor = kind.vendorOf(world.vendors);
    const found: Record<string, string> = {};
    for (const [name, fault] of FAULTS) {
      vendor.fault = fault;
      found[name] = await agent.health();
    }
    vendor.fault = null;
    expect(found).toEqual(Object.fromEntries(FAULTS.map(([name, , status]) => [name, status])));
  });

  it.each(MODEL_KINDS)('at $name finds a wrong key and a name that nothing has', async (kind) => {
    const { agent } = world.of(kind);
    await agent.setProvider(kind.wrongKey);
    expect(await agent.health()).toBe('key_rejected');
    await agent.setProvider({ ...agent.config, ...kind.unknown });
    expect(await agent.health()).toBe('not_found');
    await agent.setProvider(agent.config);
    expect(await agent.health()).toBe('ok');
  });
});

it.each(MODEL_KINDS.filter(({ provider }) => ['openai', 'custom', 'foundry'].includes(provider)))(
  'an endpoint within the network is refused for $name',
  async (kind) => {
    const { agent } = world.of(kind);
    const inside = { ...agent.config, endpoint: 'http://10.0.0.1/v1/responses' };
    await expect(agent.setProvider(inside)).rejects.toThrow(/422.*SVC_MODELS_ALLOW/);
    expect(await agent.health()).toBe('ok');
  },
);

it('no vendor was asked for what its documentation does not have', () => {
  expect(world.vendors.offences).toEqual([]);
});

describe('a vendor that is gone', () => {
  beforeAll(async () => await world.vendors.stop());

  it.each(MODEL_KINDS)('is out of reach for $name', async (kind) => {
    expect(await world.of(kind).agent.health()).toBe('unreachable');
  });
});
