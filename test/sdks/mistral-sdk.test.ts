import { Mistral } from '@mistralai/mistralai';
import { MistralError } from '@mistralai/mistralai/models/errors/mistralerror.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeMistral } from '../fakes/mistral/fake-mistral.ts';

const MODEL = 'mistral-large-latest';

let fake: FakeMistral;
let sdk: Mistral;

beforeEach(async () => {
  fake = await new FakeMistral().start();
  sdk = new Mistral({ apiKey: fake.key, serverURL: fake.url });
});

afterEach(async () => {
  await fake.stop();
});

async function statusOf(request: Promise<unknown>): Promise<number> {
  const error = await request.catch((reason: unknown) => reason);
  if (error instanceof MistralError) return error.statusCode;
  throw new Error('the request did not fail as expected', { cause: error });
}

/** Mistral's own client, 2.7.0, as a second client of the fake. */
describe('the official SDK', () => {
  it('starts a conversation and goes on', async () => {
    const first = await sdk.beta.conversations.start({ model: MODEL, inputs: 'Remember the word: maple' });
    expect(first.outputs[0]).toMatchObject({ type: 'message.output', content: 'OK' });
    expect(first.usage).toMatchObject({ promptTokens: 10, totalTokens: 15 });
    const { conversationId } = first;
    const second = await sdk.beta.conversations.append({
      conversationId,
      conversationAppendRequest: { inputs: 'Which word?' },
    });
    expect(second.outputs[0]).toMatchObject({ content: 'maple' });
    const history = await sdk.beta.conversations.getHistory({ conversationId });
    expect(history.entries.map(({ type }) => type)).toEqual([
      'message.input',
      'message.output',
      'message.input',
      'message.output',
    ]);
    expect(fake.offences).toEqual([]);
  });

  it('follows a stream', async () => {
    const stream = await sdk.beta.conversations.startStream({
      model: MODEL,
      instructions: 'Hi',
      inputs: 'Hello',
    });
    const events: string[] = [];
    let text = '';
    for await (const { event, data } of stream) {
      events.push(event);
      if (data.type === 'message.output.delta' && 'content' in data) text += String(data.content);
    }
    expect(events.at(0)).toBe('conversation.response.started');
    expect(events.at(-1)).toBe('conversation.response.done');
    expect(text).toBe('You said: Hello');
  });

  it('restarts from an entry, and deletes', async () => {
    const inputs = [{ role: 'user', content: 'Remember the word: maple' } as const];
    const { conversationId } = await sdk.beta.conversations.start({ model: MODEL, inputs });
    const { entries } = await sdk.beta.conversations.getHistory({ conversationId });
    const fork = await sdk.beta.conversations.restart({
      conversationId,
      conversationRestartRequest: { fromEntryId: String(entries[1]?.id), inputs: 'Which word?' },
    });
    expect(fork.conversationId).not.toBe(conversationId);
    expect(fork.outputs[0]).toMatchObject({ content: 'maple' });
    await sdk.beta.conversations.delete({ conversationId });
    expect(await statusOf(sdk.beta.conversations.getHistory({ conversationId }))).toBe(404);
  });

  it('makes agents and lists them in pages, and models', async () => {
    for (let count = 0; count < 25; count++) await sdk.beta.agents.create({ model: MODEL, name: `${count}` });
    const page = await sdk.beta.agents.listPages({ pageSize: 20 });
    const names: string[] = [];
    for await (const { result } of page) names.push(...result.data.map(({ name }) => name));
    expect(names).toHaveLength(25);
    const agentId = fake.agents[0]!.id;
    expect((await sdk.beta.agents.get({ agentId })).name).toBe('0');
    const reply = await sdk.beta.conversations.start({ agentId, inputs: 'Hello' });
    expect(reply.outputs[0]).toMatchObject({ content: 'You said: Hello' });
    const models = await sdk.models.list();
    expect(models.data?.map((model) => 'id' in model && model.id)).toContain(MODEL);
    expect(fake.offences).toEqual([]);
  });

  it('makes a connector with a bearer, which conversations use', async () => {
    const server = 'https://gateway.example/mcp';
    const name = 'gateway';
    const authMethods = [{ methodType: 'bearer' as const }];
    await sdk.beta.connectors.create({
      name,
      description: 'Gateway',
      server,
      protocol: 'mcp',
      visibility: 'private',
      authMethods,
    });
    const connector = await sdk.beta.connectors.get({ connectorIdOrName: name });
    if (!('id' in connector)) throw new Error('no connector');
    await sdk.beta.connectors.createCredentials({
      connectorIdOrName: connector.id,
      consumerScope: 'user',
      credentialsCreateOrUpdate: {
        name: 'own',
        isDefault: true,
        credentials: { bearerToken: 'bearer-0123456789' },
      },
    });
    let tools: unknown;
    fake.reply = (turn) => {
      tools = turn.tools;
      return 'Hello';
    };
    const connectorTools = [{ type: 'connector' as const, connectorId: connector.id }];
    await sdk.beta.conversations.start({ model: MODEL, inputs: 'Hello', tools: connectorTools });
    expect(tools).toEqual([{ url: server, bearer: 'bearer-0123456789' }]);
    expect((await sdk.beta.connectors.list({})).items).toHaveLength(1);
    await sdk.beta.connectors.delete({ connectorId: connector.id });
    expect((await sdk.beta.connectors.list({})).items).toEqual([]);
    expect(fake.offences).toEqual([]);
  });

  it('understands the errors', async () => {
    const other = new Mistral({ apiKey: 'OtherKey', serverURL: fake.url });
    expect(await statusOf(other.models.list())).toBe(401);
    expect(await statusOf(sdk.beta.conversations.start({ model: 'mistral-9', inputs: 'Hello' }))).toBe(400);
    const both = { model: MODEL, agentId: fake.addAgent('Ida').id, inputs: 'Hello' };
    expect(await statusOf(sdk.beta.conversations.start(both))).toBe(422);
    fake.connectors.isAllowed = false;
    expect(await statusOf(sdk.beta.connectors.list({}))).toBe(403);
    fake.failNext({ kind: 'refuse', why: 'rate_limited', retryAfterS: 1 });
    expect(await statusOf(sdk.models.list())).toBe(429);
  });
});
