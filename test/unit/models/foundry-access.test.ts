import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/time.ts';
import { foundry } from '../../../src/models/foundry/foundry.ts';
import type { ModelClient } from '../../../src/models/model-client.ts';
import { CLIENT_ID, CLIENT_SECRET, TENANT_ID } from '../../fakes/foundry/entra.ts';
import { FakeFoundry } from '../../fakes/foundry/fake-foundry.ts';
import { faultOf, loopbackHttp, NEVER, NotedTurn, type TestHttp, turnOf } from './turn-parts.ts';

let vendor: FakeFoundry;
let http: TestHttp;
let nowMs: number;

beforeEach(async () => {
  vendor = await new FakeFoundry().start();
  http = loopbackHttp();
  nowMs = 0;
});

afterEach(async () => {
  http.close();
  await vendor.stop();
});

function connect(config: Record<string, string>, secrets: Record<string, string>): ModelClient {
  const clock = { ...systemClock, monotonicMs: () => nowMs };
  const deps = { http, clock, urls: { foundry: vendor.url } };
  return foundry.connect({ config, secrets }, deps);
}

const APPLICATION = { tenant_id: TENANT_ID, client_id: CLIENT_ID };

function ofProject(config: Record<string, string>, secret = CLIENT_SECRET): ModelClient {
  return connect({ endpoint: vendor.projectUrl, ...APPLICATION, ...config }, { client_secret: secret });
}

describe('the token of an application', () => {
  it('is asked for once by many turns, and again 5 minutes before its end', async () => {
    const client = ofProject({ agent_id: 'support-agent' });
    await Promise.all([1, 2, 3].map((at) => client.turn(turnOf(`Turn ${at}`), new NotedTurn())));
    expect(vendor.entra.tokens).toHaveLength(1);
    nowMs = (vendor.entra.lifetimeS - 301) * 1_000;
    await client.turn(turnOf('Before'), new NotedTurn());
    expect(vendor.entra.tokens).toHaveLength(1);
    nowMs += 1_000;
    await Promise.all([1, 2].map((at) => client.turn(turnOf(`After ${at}`), new NotedTurn())));
    expect(vendor.entra.tokens).toHaveLength(2);
  });

  it('is refused to a wrong secret, which nobody repeats', async () => {
    const secret = 'wrong-secret-0123456789';
    const fault = await faultOf(ofProject({ agent_id: 'support-agent' }, secret).probe(NEVER));
    expect(fault).toMatchObject({ kind: 'key_rejected', status: 401 });
    expect(fault.message).not.toContain(secret);
    const nobody = ofProject({ agent_id: 'support-agent', tenant_id: 'contoso.example' });
    expect(await faultOf(nobody.probe(NEVER))).toMatchObject({ kind: 'bad_request' });
  });

  it.each([
    [429, { error: 'temporarily_unavailable' }, 'rate_limited'],
    [503, 'busy', 'overloaded'],
    [302, '', 'bad_endpoint'],
    [200, '<html>', 'bad_endpoint'],
  ])('fails with status %i %j as %s, and is asked for again', async (status, body, kind) => {
    const client = ofProject({ agent_id: 'support-agent' });
    vendor.failNext({ kind: 'answer', status, body }, /oauth2/);
    expect(await faultOf(client.browse(NEVER))).toMatchObject({ kind });
    expect((await client.browse(NEVER)).agents).toHaveLength(2);
  });
});

describe('settings of Foundry that do not fit together', () => {
  const SECRET = { client_secret: CLIENT_SECRET };
  const RESOURCE = 'https://x.openai.azure.com';
  const PROJECT = 'https://x.services.ai.azure.com/api/projects/p';

  it.each([
    [{ endpoint: RESOURCE }, {}, 'API key'],
    [{ endpoint: PROJECT }, { api_key: 'k' }, 'takes no API key'],
    [{ endpoint: PROJECT, tenant_id: TENANT_ID }, SECRET, 'belong together'],
    [{ endpoint: PROJECT, ...APPLICATION }, { ...SECRET, api_key: 'k' }, 'either'],
    [{ endpoint: PROJECT, ...APPLICATION, tenant_id: '../x' }, SECRET, 'tenant_id'],
    [{ endpoint: PROJECT, ...APPLICATION, agent_id: '../x' }, SECRET, 'agent_id'],
    [{ endpoint: RESOURCE, agent_id: 'a' }, { api_key: 'k' }, 'project'],
    [{ endpoint: 'nonsense' }, { api_key: 'k' }, 'not a URL'],
  ])('are told: %j', (config, secrets, words) => {
    expect(() => connect(config as Record<string, string>, secrets as Record<string, string>)).toThrow(words);
  });
});
