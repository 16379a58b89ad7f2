import { GoogleGenAI } from '@google/genai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeGemini } from '../fakes/gemini/fake-gemini.ts';
import { FakeVertex } from '../fakes/gemini/fake-vertex.ts';

/** Google's own client talks to the fake that ours is tested with. */
let fake: FakeGemini;

const MODEL = 'gemini-3.8-flash';
/** Without the package's own attempts. */
const ONCE = { retries: { strategy: 'none' } } as const;

beforeEach(async () => {
  fake = await new FakeGemini().start();
});

afterEach(async () => {
  await fake.stop();
  expect(fake.offences).toEqual([]);
});

function sdk(apiKey = fake.key): GoogleGenAI {
  return new GoogleGenAI({ apiKey, httpOptions: { baseUrl: fake.url } });
}

describe('@google/genai with the fake', () => {
  it('holds a conversation', async () => {
    const { interactions } = sdk();
    const first = await interactions.create({ model: MODEL, input: 'Remember the word heron' });
    expect(first).toMatchObject({ status: 'completed', output_text: 'OK' });
    const second = await interactions.create({
      model: MODEL,
      input: 'Which word?',
      previous_interaction_id: first.id,
      system_instruction: 'Be brief.',
      generation_config: { max_output_tokens: 100, thinking_level: 'low' },
      tools: [{ type: 'mcp_server', name: 'gateway', url: 'https://gateway.example/mcp', headers: {} }],
    });
    expect(second.output_text).toBe('heron');
    expect(second.usage?.total_output_tokens).toBe(2);
    expect((await interactions.get(second.id)).previous_interaction_id).toBe(first.id);
  });

  it('takes the history as steps', async () => {
    const { interactions } = sdk();
    const { output_text: text } = await interactions.create({
      model: MODEL,
      input: [
        { type: 'user_input', content: [{ type: 'text', text: 'Remember the word heron' }] },
        { type: 'model_output', content: [{ type: 'text', text: 'OK' }] },
        { type: 'user_input', content: [{ type: 'text', text: 'Which word?' }] },
      ],
    });
    expect(text).toBe('heron');
  });

  it('reads a stream with thoughts and tools to its end', async () => {
    fake.reply = () => [
      { kind: 'reasoning', text: 'Hm.' },
      { kind: 'tool', name: 'list_calls', output: 'none' },
      { kind: 'text', text: 'No calls today.' },
    ];
    const stream = await sdk().interactions.create({ model: MODEL, input: 'Any calls?', stream: true });
    const types = new Set<string>();
    let text = '';
    let status = '';
    for await (const event of stream) {
      types.add(event.event_type);
      if (event.event_type === 'step.delta' && event.delta.type === 'text') text += event.delta.text;
      if (event.event_type === 'interaction.completed') status = event.interaction.status;
    }
    expect([...types]).toEqual([
      'interaction.created',
      'interaction.status_update',
      'step.start',
      'step.delta',
      'step.stop',
      'interaction.completed',
    ]);
    expect({ text, status }).toEqual({ text: 'No calls today.', status: 'completed' });
  });

  it('deletes interactions', async () => {
    const { interactions } = sdk();
    const { id } = await interactions.create({ model: MODEL, input: 'Hello' });
    await interactions.delete(id);
    await expect(interactions.get(id)).rejects.toMatchObject({ status: 404 });
  });

  it('lists models, page by page', async () => {
    fake.pageSize = 1;
    const names: (string | undefined)[] = [];
    for await (const { name } of await sdk().models.list()) names.push(name);
    expect(names).toEqual([
      'models/gemini-3.8-flash',
      'models/gemini-3.1-pro-preview',
      'models/gemini-embedding-001',
    ]);
    expect((await sdk().models.get({ model: MODEL })).displayName).toBe('Gemini 3.8 Flash');
  });

  it('is refused with the statuses of the vendor', async () => {
    const request = { model: MODEL, input: 'Hello' };
    await expect(sdk('wrong-key').interactions.create(request, ONCE)).rejects.toMatchObject({ status: 400 });
    fake.fault = { kind: 'refuse', why: 'rate_limited', retryAfterS: 1 };
    await expect(sdk().interactions.create(request, ONCE)).rejects.toMatchObject({ status: 429 });
    fake.fault = null;
    const stale = { ...request, previous_interaction_id: 'v1_gone' };
    await expect(sdk().interactions.create(stale, ONCE)).rejects.toThrow('Invalid turn token: v1_gone');
  });

  it('meets a strict vendor', async () => {
    const unknown = { model: MODEL, input: 'Hello', max_tokens: 5 };
    await expect(sdk().interactions.create(unknown, ONCE)).rejects.toThrow("Unknown parameter 'max_tokens'");
    const empty = { model: MODEL, input: '' };
    await expect(sdk().interactions.create(empty, ONCE)).rejects.toThrow('Invalid value');
    expect(fake.offences.splice(0)).toHaveLength(2);
  });
});

describe('@google/genai with the fake of Vertex AI', () => {
  it('holds a conversation, and finds models', async () => {
    const vertex = await new FakeVertex().start();
    vertex.tokens.push('token-1');
    const authClient = {
      getRequestHeaders: async () => new Headers({ authorization: 'Bearer token-1' }),
    };
    const { interactions, models } = new GoogleGenAI({
      vertexai: true,
      project: 'fake-project-1',
      location: 'europe-west4',
      httpOptions: { baseUrl: vertex.url },
      googleAuthOptions: { authClient: authClient as never },
    });
    const first = await interactions.create({ model: MODEL, input: 'Remember the word heron' });
    const second = { model: MODEL, input: 'Which word?', previous_interaction_id: first.id };
    expect((await interactions.create(second)).output_text).toBe('heron');
    const names: (string | undefined)[] = [];
    for await (const { name } of await models.list()) names.push(name);
    expect(names).toContain('publishers/google/models/gemini-3.8-flash');
    expect((await models.get({ model: MODEL })).displayName).toBe('Gemini 3.8 Flash');
    expect(vertex.offences).toEqual([]);
    await vertex.stop();
  });
});
