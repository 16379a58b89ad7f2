import { afterAll, beforeAll, expect, it } from 'vitest';
import type { FakePerson } from '../fakes/telegram/fake-person.ts';
import type { AnyJson } from '../support/any-json.ts';
import { InlineGateway } from '../support/inline-gateway.ts';
import { accepted } from '../support/kind-agents.ts';
import { memberOf } from '../support/member.ts';
import type { Person } from '../support/person.ts';
import { waitFor } from '../support/wait-for.ts';

let world: InlineGateway;
let stranger: Person;
let strangersAgent: string;
/** Writes to the owner's agent. */
let ann: FakePerson;
/** Writes to the stranger's. */
let bob: FakePerson;

beforeAll(async () => {
  world = await InlineGateway.start({ SVC_SIGNUP: 'open' });
  ann = world.bot.person({ id: 1_001, first_name: 'Ann' });
  const bot = world.telegram.addBot();
  world.gateway.secrets.add(bot.token);
  bob = bot.person({ id: 1_002, first_name: 'Bob' });
  stranger = await memberOf(world.gateway, 'stranger@example.com');
  await ask('POST', '/api/bot-tokens', { platform: 'telegram', bot_token: bot.token });
  strangersAgent = (await ask('GET', '/api/agents')).agents[0].id;
  const provider = { provider: 'openai', config: { api_key: world.openai.key, model: 'gpt-6-luna' } };
  await ask('PATCH', `/api/agents/${strangersAgent}/provider`, provider);
  const everything = { calls: ['*'], new_conversations: true, actions_per_turn: 20 };
  await ask('PATCH', `/api/agents/${strangersAgent}/policy`, everything);
});
afterAll(async () => {
  await world?.stop();
});

async function ask(method: string, path: string, body?: unknown): Promise<AnyJson> {
  return accepted(await stranger.request(method, path, body));
}

/** Bob writes to the stranger's agent, whose model replies. Resolves with the actions and what the model was told. */
async function actionsOf(reply: string): Promise<{ readonly actions: AnyJson[]; readonly told: string }> {
  let told = '';
  world.openai.reply = ({ text }) => {
    told = text;
    return reply;
  };
  const path = `/api/agents/${strangersAgent}/deliveries`;
  const { total } = await ask('GET', path);
  bob.says('Go on');
  const delivery = await waitFor('the delivery to end', async () => {
    const { deliveries, total: now } = await ask('GET', path);
    return now > total && deliveries[0].status === 'delivered' && deliveries[0];
  });
  return { actions: (await ask('GET', `/api/agent-deliveries/${delivery.id}`)).actions, told };
}

it('an agent of another account reaches nothing of this one by its tags', async () => {
  const { gateway } = world;
  world.openai.reply = () => 'Hello Ann';
  ann.says('Hello');
  await world.settled(1);
  const { conversations } = accepted(await gateway.agentApi.get('/api/inbox'));
  const conversation = conversations.find(({ platform }: AnyJson) => platform === 'telegram').conversation_id;
  const { did_id } = accepted(await gateway.settingsApi.post('/api/sip/dids', { number: '+33199887766' }));
  const file = accepted(
    await gateway.agentApi.post('/api/files/reserve', { name: 'a.txt', mime: 'text/plain' }),
  );
  const join = (account: string) =>
    `<call_join platform="sip" url="sip:+33123456789@127.0.0.1" account_id="${account}"/>`;
  const attempts = (ids: { conversation: string; agent: string; file: string; account: string }) => [
    `<dm platform="telegram" to="${ids.conversation}">stolen</dm>`,
    `<dm platform="agent" to="${ids.agent}">stolen</dm>`,
    join(ids.account),
    `<file id="${ids.file}"/>`,
  ];
  const theirs = { conversation, agent: world.agentId, file: file.file_id, account: did_id };
  const nobodys = {
    conversation: 'cnv_nobody',
    agent: 'agt_nobody',
    file: 'file_nobody',
    account: 'did_nobody',
  };
  const [real, invented] = [
    await actionsOf(attempts(theirs).join('')),
    await actionsOf(attempts(nobodys).join('')),
  ];
  const outcomes = ({ actions }: { actions: AnyJson[] }) =>
    actions.map(({ action, status, reason }) => [action.kind, status, reason]);
  expect(outcomes(real).map(([kind, status]) => [kind, status])).toEqual([
    ['dm', 'failed'],
    ['dm', 'failed'],
    ['call_join', 'failed'],
    ['file', 'failed'],
  ]);
  // What is there cannot be told from what is not. Nobody guesses the ids of files.
  expect(outcomes(real).slice(0, 3)).toEqual(outcomes(invented).slice(0, 3));
  expect(real.actions[3].reason).toBe('File belongs to another user');
  const { told } = await actionsOf('Well');
  expect(told).toContain('Not carried out of your last reply:');

  expect(ann.received.map(({ text }) => text)).toEqual(['Hello Ann']);
  const inbox = accepted(await gateway.agentApi.get('/api/inbox'));
  expect(JSON.stringify(inbox)).not.toContain('stolen');
});

it('an account neither reads, replays nor starts anything of another account’s agent', async () => {
  const { openai, agentId } = world;
  const [delivery] = world.deliveries();
  const asked = openai.requests.length;
  const agent = `/api/agents/${agentId}`;
  const statuses = [
    await stranger.request('GET', `${agent}/deliveries`),
    await stranger.request('GET', `${agent}/provider`),
    await stranger.request('POST', `${agent}/provider/browse`, { provider: 'openai', config: {} }),
    await stranger.request('POST', `${agent}/provider/healthcheck`),
    await stranger.request('POST', `${agent}/test`),
    await stranger.request('POST', `${agent}/reset-conversations`),
    await stranger.request('PATCH', `${agent}/provider`, { system_prompt: 'Obey me' }),
    await stranger.request('GET', `/api/agent-deliveries/${delivery?.id}`),
    await stranger.request('POST', `/api/agent-deliveries/${delivery?.id}/replay`),
  ].map(({ status }) => status);
  expect(statuses).toEqual(Array(9).fill(404));
  expect([openai.requests.length, delivery?.agent_id]).toEqual([asked, agentId]);
  // The owner's conversation is still there.
  world.openai.reply = ({ history }) => `${history.length} before`;
  ann.says('Still there?');
  await waitFor('a reply', () => ann.received.at(-1)?.text === '2 before');
});
