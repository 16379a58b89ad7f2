import Anthropic, { APIError } from '@anthropic-ai/sdk';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeAnthropic } from '../fakes/anthropic/fake-anthropic.ts';

const MODEL = 'claude-opus-5-5';

let fake: FakeAnthropic;
let sdk: Anthropic;

beforeEach(async () => {
  fake = await new FakeAnthropic().start();
  sdk = new Anthropic({ apiKey: fake.key, baseURL: fake.url, maxRetries: 0 });
});

afterEach(async () => {
  await fake.stop();
});

async function newSession(): Promise<string> {
  const agent = await sdk.beta.agents.create({ name: 'Ida', model: MODEL, system: 'You are Ida.' });
  const config = { type: 'cloud', networking: { type: 'unrestricted' } } as const;
  const environment = await sdk.beta.environments.create({ name: 'Empty', config });
  const session = await sdk.beta.sessions.create({ agent: agent.id, environment_id: environment.id });
  return session.id;
}

function say(session: string, text: string) {
  return sdk.beta.sessions.events.send(session, {
    events: [{ type: 'user.message', content: [{ type: 'text', text }] }],
  });
}

async function statusOf(request: PromiseLike<unknown>): Promise<number | undefined> {
  const error = await Promise.resolve(request).catch((reason: unknown) => reason);
  if (error instanceof APIError) return error.status;
  throw new Error('the request succeeded');
}

/** Anthropic's own client, 1.12.0, as a second client of the fake. */
describe('the official SDK', () => {
  it('follows a turn by the stream, with its parts', async () => {
    const session = await newSession();
    const stream = await sdk.beta.sessions.events.stream(session, { event_deltas: ['agent.message'] });
    const sent = await say(session, 'Hello');
    expect(sent.data?.[0]).toMatchObject({ type: 'user.message', processed_at: null });
    const types: string[] = [];
    let parts = '';
    let whole = '';
    for await (const event of stream) {
      types.push(event.type);
      if (event.type === 'event_delta') parts += event.delta.content.text;
      if (event.type === 'agent.message')
        whole = event.content.map((block) => ('text' in block ? block.text : '')).join('');
      if (event.type === 'session.status_idle') break;
    }
    expect(types.filter((type) => type === 'user.message')).toHaveLength(2);
    expect(parts).toBe('You said: Hello');
    expect(whole).toBe(parts);
    expect(fake.offences).toEqual([]);
  });

  it('reads the events that a session has kept', async () => {
    const session = await newSession();
    const stream = await sdk.beta.sessions.events.stream(session);
    await say(session, 'Hello');
    for await (const event of stream) if (event.type === 'session.status_idle') break;
    const types: string[] = [];
    for await (const event of sdk.beta.sessions.events.list(session, { order: 'desc', limit: 2 }))
      types.push(event.type);
    expect(types).toEqual([
      'session.status_idle',
      'span.model_request_end',
      'agent.message',
      'span.model_request_start',
      'session.status_running',
      'user.message',
    ]);
    const messages = await sdk.beta.sessions.events.list(session, { types: ['agent.message'] });
    expect(messages.data).toHaveLength(1);
  });

  it('confirms a tool that waits', async () => {
    fake.reply = () => [
      { kind: 'approval', name: 'bash' },
      { kind: 'text', text: 'Done.' },
    ];
    const session = await newSession();
    const stream = await sdk.beta.sessions.events.stream(session);
    await say(session, 'Hello');
    for await (const event of stream) {
      if (event.type !== 'session.status_idle') continue;
      if (event.stop_reason.type === 'end_turn') break;
      if (event.stop_reason.type !== 'requires_action') throw new Error(event.stop_reason.type);
      const [id = ''] = event.stop_reason.event_ids;
      expect(await statusOf(confirm(session, 'sevt_other'))).toBe(400);
      await confirm(session, id);
    }
    expect((await sdk.beta.sessions.retrieve(session)).status).toBe('idle');
  });

  function confirm(session: string, id: string) {
    const event = { type: 'user.tool_confirmation', tool_use_id: id, result: 'allow' } as const;
    return sdk.beta.sessions.events.send(session, { events: [event] });
  }

  it('overrides an agent, with a vault for an MCP server', async () => {
    const url = 'https://gateway.example/mcp';
    const vault = await sdk.beta.vaults.create({ display_name: 'Bearers' });
    const auth = { type: 'static_bearer', token: 'bearer-0123456789', mcp_server_url: url } as const;
    const credential = await sdk.beta.vaults.credentials.create(vault.id, { auth });
    expect(JSON.stringify(credential)).not.toContain(auth.token);
    const agent = await sdk.beta.agents.create({ name: 'Ida', model: MODEL });
    const environment = await sdk.beta.environments.create({ name: 'Empty' });
    const overrides = {
      type: 'agent_with_overrides',
      id: agent.id,
      system: 'You are Otto.',
      mcp_servers: [{ type: 'url', name: 'gateway', url }],
      tools: [{ type: 'mcp_toolset', mcp_server_name: 'gateway' }],
    } as const;
    const parameters = {
      agent: { ...overrides, mcp_servers: [...overrides.mcp_servers], tools: [...overrides.tools] },
    };
    await sdk.beta.sessions.create({ ...parameters, environment_id: environment.id, vault_ids: [vault.id] });
    expect(fake.lastSession.setup).toMatchObject({
      system: 'You are Otto.',
      bearers: new Map([[url, auth.token]]),
    });
    const unnamed = { ...parameters.agent, tools: [] };
    expect(await statusOf(sdk.beta.sessions.create({ agent: unnamed, environment_id: environment.id }))).toBe(
      400,
    );
    expect((await sdk.beta.vaults.delete(vault.id)).type).toBe('vault_deleted');
    await expect(sdk.beta.vaults.delete(vault.id)).rejects.toMatchObject({ status: 404 });
  });

  it('lists agents in pages, and models', async () => {
    for (let count = 0; count < 25; count++) await sdk.beta.agents.create({ name: `${count}`, model: MODEL });
    const names: string[] = [];
    for await (const { name } of sdk.beta.agents.list()) names.push(name);
    expect(names).toHaveLength(25);
    const models = await sdk.beta.models.list();
    expect(models.data.map(({ id }) => id)).toContain(MODEL);
    expect((await sdk.beta.models.retrieve('claude-haiku-4-5')).retires_at).toBe('2027-02-01T00:00:00Z');
  });

  it('understands the errors', async () => {
    const other = new Anthropic({ apiKey: 'sk-ant-other', baseURL: fake.url, maxRetries: 0 });
    expect(await statusOf(other.beta.agents.list())).toBe(401);
    expect(await statusOf(sdk.beta.sessions.retrieve('sesn_none'))).toBe(404);
    const agent = await sdk.beta.agents.create({ name: 'Ida', model: MODEL });
    await sdk.beta.agents.archive(agent.id);
    const environment = await sdk.beta.environments.create({ name: 'Empty' });
    const parameters = { agent: agent.id, environment_id: environment.id };
    expect(await statusOf(sdk.beta.sessions.create(parameters))).toBe(409);
    for (const [why, status] of [
      ['rate_limited', 429],
      ['overloaded', 529],
      ['quota', 402],
    ] as const) {
      fake.failNext({ kind: 'refuse', why, retryAfterS: 1 });
      expect(await statusOf(sdk.beta.agents.list())).toBe(status);
    }
  });

  it('deletes a session, but none that runs', async () => {
    const session = await newSession();
    fake.lastSession.deletesRefused = 1;
    expect(await statusOf(sdk.beta.sessions.delete(session))).toBe(400);
    expect(await sdk.beta.sessions.delete(session)).toMatchObject({ type: 'session_deleted' });
    expect(await statusOf(say(session, 'Hello'))).toBe(404);
  });
});
