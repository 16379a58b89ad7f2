import { AIProjectClient } from '@azure/ai-projects';
import { createHttpHeaders, type HttpClient } from '@azure/core-rest-pipeline';
import { ClientSecretCredential } from '@azure/identity';
import OpenAI, { AzureOpenAI } from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CLIENT_ID, CLIENT_SECRET, TENANT_ID } from '../fakes/foundry/entra.ts';
import { FakeFoundry } from '../fakes/foundry/fake-foundry.ts';

let vendor: FakeFoundry;

beforeEach(async () => {
  vendor = await new FakeFoundry().start();
});

afterEach(async () => {
  await vendor.stop();
  expect(vendor.offences).toEqual([]);
});

/** Microsoft's packages send tokens only by https: this takes the fake for every host. */
const toFake: HttpClient = {
  sendRequest: async (request) => {
    const { origin, pathname, search } = new URL(request.url);
    const body = typeof request.body === 'string' ? { body: request.body } : {};
    const { method } = request;
    const answer = await fetch(`${vendor.url}${pathname}${search}`, {
      method,
      headers: request.headers.toJSON(),
      ...body,
    });
    const headers = createHttpHeaders(Object.fromEntries(answer.headers));
    const bodyAsText = (await answer.text()).replaceAll(vendor.url, origin);
    return { request, status: answer.status, headers, bodyAsText };
  },
};

function application(clientSecret = CLIENT_SECRET): ClientSecretCredential {
  return new ClientSecretCredential(TENANT_ID, CLIENT_ID, clientSecret, {
    httpClient: toFake,
    disableInstanceDiscovery: true,
    retryOptions: { maxRetries: 0 },
  });
}

describe('the SDK of OpenAI, at a resource', () => {
  const clients: readonly (readonly [string, () => OpenAI])[] = [
    ['a key', () => new OpenAI({ apiKey: vendor.key, baseURL: `${vendor.resourceUrl}/openai/v1` })],
    [
      'a key in Azure’s own header',
      () =>
        new AzureOpenAI({
          apiKey: vendor.key,
          baseURL: `${vendor.resourceUrl}/openai/v1`,
          apiVersion: 'preview',
        }),
    ],
    [
      'a token',
      () => {
        const scope = 'https://cognitiveservices.azure.com/.default';
        const apiKey = async () => (await application().getToken(scope)).token;
        return new OpenAI({ apiKey, baseURL: `${vendor.resourceUrl}/openai/v1` });
      },
    ],
  ];

  it.each(clients)('keeps a conversation by %s', async (_, connect) => {
    const client = connect();
    const { id: conversation } = await client.conversations.create();
    const ask = (input: string) =>
      client.responses.create({ model: 'my-deployment', input, conversation, instructions: 'Be brief.' });
    await ask('Remember this word: larch');
    expect((await ask('Which word?')).output_text).toBe('larch');
    const stream = client.responses.stream({ model: 'my-deployment', input: 'Hello', conversation });
    expect((await stream.finalResponse()).output_text).toBe('You said: Hello');
    expect((await client.models.list()).data.map(({ id }) => id)).toContain('my-deployment');
    expect(await client.conversations.delete(conversation)).toMatchObject({ deleted: true });
  });

  it('is refused a wrong key', async () => {
    const client = new OpenAI({ apiKey: 'wrong', baseURL: `${vendor.resourceUrl}/openai/v1` });
    await expect(client.models.list()).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
  });
});

describe('the SDK of Foundry, at a project', () => {
  function project(
    credential = application(),
    endpoint = 'https://x.services.ai.azure.com/api/projects/demo',
  ) {
    return new AIProjectClient(endpoint, credential, { httpClient: toFake, retryOptions: { maxRetries: 0 } });
  }

  /** Its client of the Responses API sends tokens to wherever the project is. */
  const openaiOf = (agentName?: string) =>
    project(application(), vendor.projectUrl).getOpenAIClient(
      agentName === undefined ? {} : { azureConfig: { agentName, allowPreview: true } },
    );

  it('lists deployments and agents, page by page', async () => {
    vendor.pageSize = 1;
    for (let count = 0; count < 30; count++) vendor.agents.set(`agent-${count}`, 'prompt');
    const deployments = [];
    for await (const deployment of project().deployments.list()) deployments.push(deployment);
    expect(deployments).toMatchObject([
      { type: 'ModelDeployment', name: 'gpt-6-luna', modelName: 'gpt-6-luna' },
      { name: 'my-deployment', sku: { name: 'GlobalStandard' } },
    ]);
    const names: string[] = [];
    for await (const { name } of project().agents.list()) names.push(name);
    expect(names.slice(0, 3)).toEqual(['support-agent', 'container-agent', 'agent-0']);
    expect(names).toHaveLength(32);
  });

  it('describes an agent', async () => {
    const agent = await project().agents.get('container-agent');
    expect(agent).toMatchObject({
      name: 'container-agent',
      versions: { latest: { definition: { kind: 'hosted' } } },
    });
    await expect(project().agents.get('nobody')).rejects.toMatchObject({ statusCode: 404 });
  });

  it('talks with an agent', async () => {
    const client = openaiOf();
    const { id: conversation } = await client.conversations.create();
    const agent_reference = { type: 'agent_reference', name: 'support-agent' };
    const ask = (input: string) =>
      client.responses.create({ input, conversation }, { body: { agent_reference } });
    await ask('Remember this word: rowan');
    expect((await ask('Which word?')).output_text).toBe('rowan');
    await client.conversations.delete(conversation);
    expect(vendor.stored.ids).toEqual([]);
  });

  it('talks with an agent that has an endpoint of its own', async () => {
    const client = openaiOf('container-agent');
    const { id: conversation } = await client.conversations.create();
    await client.responses.create({ input: 'Remember this word: elder', conversation });
    const { output_text } = await client.responses.create({ input: 'Which word?', conversation });
    expect(output_text).toBe('elder');
  });

  it('is refused a wrong secret', async () => {
    const refused = project(application('wrong-secret')).agents.get('support-agent');
    await expect(refused).rejects.toThrow('AADSTS7000215');
  });
});
