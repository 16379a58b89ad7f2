import { afterEach, beforeEach, expect, it } from 'vitest';
import { InlineGateway } from '../support/inline-gateway.ts';
import { waitFor } from '../support/wait-for.ts';

let world: InlineGateway;

beforeEach(async () => {
  world = await InlineGateway.start();
});
afterEach(async () => {
  await world?.stop();
});

it('answers messages with a model and no code, and remembers what was said', async () => {
  const ann = world.bot.person({ id: 1_001, first_name: 'Ann' });
  world.openai.reply = ({ history, text }) =>
    `Turn ${history.length / 2 + 1}, ${text.includes('name') ? 'yes' : 'no'}`;
  ann.says('What is my name?');
  await waitFor('the first reply', () => ann.received.length >= 1);
  ann.says('And now?');
  await waitFor('the second reply', () => ann.received.length >= 2);
  expect(ann.received.map(({ text }) => text)).toEqual(['Turn 1, yes', 'Turn 2, no']);
  const [first, second] = await world.settled(2);
  expect([first?.status, second?.status]).toEqual(['delivered', 'delivered']);
  const { settingsApi } = world.gateway;
  const detail = (await settingsApi.get(`/api/agent-deliveries/${first?.id}`)).body;
  expect(detail).toMatchObject({
    event_type: 'dm_chat',
    status: 'delivered',
    response_body: 'Turn 1, yes',
    provider: 'openai',
    attempts: 1,
    actions: [{ index: 0, action: { kind: 'write', text: 'Turn 1, yes' }, status: 'done', reason: null }],
  });
  expect(detail.payload).toMatchObject({ type: 'dm_chat', text: 'What is my name?' });
  expect(detail.usage.input_tokens).toBeGreaterThan(0);
  expect(world.openai.offences).toEqual([]);
});

it('stops calling a model whose key was revoked', async () => {
  const ann = world.bot.person({ id: 1_001, first_name: 'Ann' });
  world.openai.fault = { kind: 'refuse', why: 'bad_key' };
  for (let i = 1; i <= 6; i++) {
    ann.says(`message ${i}`);
    await world.settled(i);
  }
  const failed = world.deliveries().map(({ error_type }) => error_type);
  expect(failed).toEqual([...Array(5).fill('key_rejected'), 'key_refused']);
  const asked = world.openai.requests.length;
  world.openai.fault = null;
  await world.setProvider({});
  ann.says('again');
  await waitFor('a reply', () => ann.received.length >= 1);
  expect(world.openai.requests.length).toBeGreaterThan(asked);
});

it('sends a stored key nowhere but to its own endpoint', async () => {
  const { settingsApi } = world.gateway;
  const path = `/api/agents/${world.agentId}/provider/browse`;
  const config = { endpoint: `${world.openai.url}/v1/responses` };
  expect((await settingsApi.post(path, { provider: 'openai', config })).status).toBe(422);
  expect(world.openai.requests).toEqual([]);
});

it('calls each agent only for its own bot', async () => {
  const other = await world.secondAgent();
  const [ann, bob] = [world.bot, other.bot].map((bot) => bot.person({ id: 1_001, first_name: 'Ann' }));
  ann!.says('one');
  bob!.says('two');
  await waitFor('both replies', () => ann!.received.length >= 1 && bob!.received.length >= 1);
  const deliveries = await world.settled(2);
  expect(deliveries.map(({ agent_id }) => agent_id).toSorted()).toEqual(
    [world.agentId, other.agentId].toSorted(),
  );
  expect([ann!.received[0]?.text, bob!.received[0]?.text].map((text) => /one|two/.exec(text!)?.[0])).toEqual([
    'one',
    'two',
  ]);
});
