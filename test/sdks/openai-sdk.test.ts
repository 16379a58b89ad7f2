import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeOpenAi } from '../fakes/openai/fake-openai.ts';
import { startVendor } from '../fakes/speech-vendor/all-vendors.ts';

let vendor: FakeOpenAi;
let client: OpenAI;

beforeEach(async () => {
  vendor = await new FakeOpenAi().start();
  client = new OpenAI({ apiKey: vendor.key, baseURL: `${vendor.url}/v1`, maxRetries: 0 });
});

afterEach(async () => {
  await vendor.stop();
});

/** The fake, used by OpenAI's own client. */
describe('OpenAI’s SDK', () => {
  it('keeps a conversation, reads its items and deletes it', async () => {
    const { id } = await client.conversations.create({ metadata: { agent: 'a1' } });
    const ask = (input: string) =>
      client.responses.create({ model: 'gpt-6-luna', input, conversation: id, instructions: 'Be brief.' });
    await ask('Remember this word: birch');
    const second = await ask('Which word?');
    expect(second).toMatchObject({ status: 'completed', output_text: 'birch', conversation: { id } });
    const items = [];
    for await (const item of client.conversations.items.list(id, { order: 'asc', limit: 3 }))
      items.push(item);
    expect(items.map((item) => 'role' in item && item.role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
    ]);
    expect(await client.conversations.delete(id)).toMatchObject({ deleted: true });
    await expect(ask('Which word?')).rejects.toMatchObject({ status: 404 });
  });

  it('streams a response with all kinds of items', async () => {
    vendor.reply = () => [
      { kind: 'reasoning', text: 'A greeting.' },
      { kind: 'commentary', text: 'Let me look.' },
      { kind: 'tool', name: 'svc_dm_history', output: '[]' },
      { kind: 'text', text: 'Good morning to you.' },
    ];
    const stream = client.responses.stream({ model: 'gpt-6-luna', input: 'Hello' });
    const deltas: string[] = [];
    const types: string[] = [];
    stream.on('response.output_text.delta', ({ delta }) => deltas.push(delta));
    for await (const event of stream) types.push(event.type);
    const final = await stream.finalResponse();
    expect(deltas.join('')).toBe('Let me look.Good morning to you.');
    expect(types.slice(0, 2)).toEqual(['response.created', 'response.in_progress']);
    expect(types.at(-1)).toBe('response.completed');
    expect(final.output.map(({ type }) => type)).toEqual([
      'reasoning',
      'message',
      'mcp_list_tools',
      'mcp_call',
      'message',
    ]);
  });

  it('goes on by the id of the response before', async () => {
    const first = await client.responses.create({ model: 'gpt-4o-mini', input: 'Remember this word: elm' });
    const second = await client.responses.create({
      model: 'gpt-4o-mini',
      input: 'Which word?',
      previous_response_id: first.id,
    });
    expect(second.output_text).toBe('elm');
    await expect(
      client.responses.create({ model: 'gpt-4o-mini', input: 'x', previous_response_id: 'resp_gone' }),
    ).rejects.toMatchObject({ status: 400, code: 'previous_response_not_found' });
  });

  it('lists models with the day on which they end', async () => {
    const models = await client.models.list();
    expect(models.data).toContainEqual(
      expect.objectContaining({ id: 'gpt-4o-mini', shutdown_date: '2027-01-14' }),
    );
  });

  it('meets OpenAI’s errors', async () => {
    const stranger = new OpenAI({ apiKey: 'sk-wrong', baseURL: `${vendor.url}/v1`, maxRetries: 0 });
    await expect(stranger.models.list()).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
    vendor.failNext({ kind: 'refuse', why: 'rate_limited', retryAfterS: 2 });
    await expect(client.models.list()).rejects.toBeInstanceOf(OpenAI.RateLimitError);
    await expect(client.responses.create({ model: 'gpt-0', input: 'x' })).rejects.toMatchObject({
      code: 'model_not_found',
    });
    const wrong = { model: 'gpt-6-luna', input: 'x', colour: 'red' };
    await expect(client.responses.create(wrong as never)).rejects.toMatchObject({
      code: 'unknown_parameter',
    });
    expect(vendor.offences).toHaveLength(1);
  });

  it('finds a conversation locked while a response is made', async () => {
    const { id } = await client.conversations.create({});
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    vendor.reply = async function* () {
      await released;
      yield { kind: 'text', text: 'late' };
    };
    const ask = { model: 'gpt-6-luna', input: 'x', conversation: id, stream: true } as const;
    const slow = await client.responses.create(ask);
    await expect(client.responses.create(ask)).rejects.toMatchObject({ code: 'conversation_locked' });
    release();
    for await (const event of slow) expect(event.type).toMatch(/^response\./);
    vendor.reply = () => 'soon';
    await expect(client.responses.create({ ...ask, stream: false })).resolves.toMatchObject({
      output_text: 'soon',
    });
  });

  it('finds speech and models at one vendor', async () => {
    const whole = await startVendor('openai');
    try {
      const apiKey = whole.keyThatIs('valid');
      const both = new OpenAI({ apiKey, baseURL: `${whole.url}/v1`, maxRetries: 0 });
      const { data } = await both.models.list();
      expect(data.map(({ id }) => id)).toEqual(expect.arrayContaining(['gpt-6-luna', 'gpt-4o-mini-tts']));
      const { output_text } = await both.responses.create({ model: 'gpt-6-luna', input: 'Hello' });
      expect(output_text).toBe('You said: Hello');
      const speech = await both.audio.speech.create({
        model: 'gpt-4o-mini-tts',
        voice: 'nova',
        input: 'alpha',
      });
      expect((await speech.arrayBuffer()).byteLength).toBeGreaterThan(0);
    } finally {
      await whole.stop();
    }
  });
});
