import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Gateway } from '../support/gateway.ts';
import { memberOf } from '../support/member.ts';
import { OAuthClient } from '../support/oauth-client.ts';
import type { Person } from '../support/person.ts';
import { ROUTE_TABLE } from '../support/route-table.ts';

/** The owner's objects, by path parameter. */
type Owned = Readonly<Record<string, string>>;

/** Valid bodies, so that the wrong owner is the only possible fault. */
const BODIES: Readonly<Record<string, (owned: Owned) => unknown>> = {
  'POST /api/call/{call_id}/say': () => ({ text: 'hello' }),
  'POST /api/call/{call_id}/chat': () => ({ text: 'hello' }),
  'POST /api/call/{call_id}/dtmf': () => ({ digits: '1' }),
  'PATCH /api/sip/dids/{did_id}': () => ({ label: 'mine now' }),
  'PATCH /api/agents/{agent_id}': () => ({ name: 'mine now' }),
  'POST /api/agents/{agent_id}/keys': () => ({ name: 'mine now' }),
  'POST /api/agents/{agent_id}/accounts': ({ did_id }) => ({
    account_type: 'sip_number',
    account_id: did_id,
  }),
  'POST /api/platforms/{platform}/owner': ({ conversation_id }) => ({ conversation_id }),
  'PATCH /api/agents/{agent_id}/provider': () => ({ system_prompt: 'obey me' }),
  'PATCH /api/agents/{agent_id}/policy': () => ({ new_conversations: true }),
  'POST /api/agents/{agent_id}/provider/browse': () => ({
    provider: 'openai',
    config: { api_key: 'sk-mine' },
  }),
  'PATCH /api/voice-configs/{id}': () => ({ enabled: true }),
  'POST /api/providers/{name}/voices': ({ voice_config_id }) => ({ voice_config_id }),
};

let gateway: Gateway;
let owner: Person;
let stranger: Person;
let strangersAgentKey: string;
let owned: Owned;

beforeAll(async () => {
  gateway = await Gateway.start({ env: { SVC_SIGNUP: 'open', SVC_SIP_TRUNK_ALLOW: '127.0.0.0/8' } });
  owner = await memberOf(gateway, 'owner@example.com');
  stranger = await memberOf(gateway, 'stranger@example.com');
  owned = await belongings();
  strangersAgentKey = keyIn(await made(stranger, '/api/api-keys', { name: 'k' }));
});
afterAll(() => gateway?.stop());

// biome-ignore lint/suspicious/noExplicitAny: the test reads the ids that it needs
async function made(person: Person, path: string, body?: unknown): Promise<any> {
  const answer = await person.request('POST', path, body);
  expect([path, answer.status < 300, answer.body]).toEqual([path, true, answer.body]);
  return answer.body;
}

const keyIn = (body: Record<string, unknown>): string =>
  String(Object.values(body).find((value) => /^svc_[\w-]{40,}$/.test(`${value}`)));

/** Creates one object of every kind. */
async function belongings(): Promise<Owned> {
  const trunk = { host: '127.0.0.1', port: 9, username: 'ownertrunk', password: 'x', register: false };
  expect((await owner.request('PUT', '/api/sip/trunk', trunk)).status).toBe(200);
  const did = await made(owner, '/api/sip/dids', { number: '+33199887766', label: 'ownerlabel' });
  const agent = await made(owner, '/api/agents', { name: 'ownersecondagent' });
  const key = await made(owner, `/api/agents/${agent.id}/keys`, { name: 'ownerkey' });
  const settings = await made(owner, '/api/settings-keys', { name: 'ownersettings' });
  const bot = await made(owner, '/api/bot-tokens', {
    platform: 'discord',
    bot_token: 'MTIzNDU2Nzg5MDEyMzQ1Njc4.owner.bottoken-of-the-owner',
    discord_app_id: '123456789012345678',
  });
  const preset = await made(owner, '/api/voice-configs', {
    kind: 'tts',
    provider: 'local',
    name: 'ownerpreset',
  });
  const call = await made(owner, '/api/call', { platform: 'sip', meeting_url: 'sip:+33123456789@127.0.0.1' });
  return {
    did_id: did.did_id,
    account_type: 'sip_number',
    account_id: did.did_id,
    agent_id: agent.id,
    key_id: key.id ?? key.key_id,
    settings_key_id: settings.id,
    bot_id: bot.id ?? bot.bot_id,
    call_id: call.call_id,
    identity_id: insertIdentity(),
    connection_id: insertConnection(),
    conversation_id: insertConversation(bot.id ?? bot.bot_id),
    id: insertDelivery(agent.id),
    client_id: await authorizedClient(),
    name: 'local',
    voice_config_id: preset.id,
  };
}

/** Inserts what no request creates without a real platform or model. */
function insertRow(sql: string): void {
  const database = new SqliteDatabase(join(gateway.dataFolder, 'gateway.db'));
  try {
    database.exec(sql);
  } finally {
    database.close();
  }
}

const OWNER = "(select id from accounts where email = 'owner@example.com')";
const AT = "'2026-01-02T03:04:05.678Z'";

function insertIdentity(): string {
  insertRow(
    `insert into identities values ('idn_owner', ${OWNER}, 'acme', 'ownersubject', null, ${AT}, ${AT})`,
  );
  return 'idn_owner';
}

function insertConnection(): string {
  insertRow(
    `insert into connections (id, account_id, provider, label, status, sealed_credentials, created_at, updated_at)
     values ('con_owner', ${OWNER}, 'discord', 'ownerconnection', 'ok', 'v1.x.y', ${AT}, ${AT})`,
  );
  return 'con_owner';
}

/** A person has written to the owner's bot. */
function insertConversation(botId: string): string {
  insertRow(
    `insert into conversations (id, account_id, platform, member_type, member_id, remote_id, status, created_at, last_seq)
     values ('cnv_owner', ${OWNER}, 'discord', 'bot_token', '${botId}', 'ownerremote', 'active', ${AT}, 1);
     insert into messages (seq, id, account_id, conversation_id, direction, text, status, created_at, changed_at)
     values (1, 'msg_owner', ${OWNER}, 'cnv_owner', 'inbound', 'ownermessage', 'received', ${AT}, ${AT})`,
  );
  return 'cnv_owner';
}

/** An MCP client that the owner has authorized. */
async function authorizedClient(): Promise<string> {
  const client = await OAuthClient.register(gateway, { client_name: 'ownerclient' });
  await client.connect(owner);
  return client.id;
}

function insertDelivery(agentId: string): string {
  insertRow(
    `insert into deliveries
     (id, account_id, agent_id, event_type, lane, status, payload, created_at, updated_at) values
     ('dlv_owner', ${OWNER}, '${agentId}', 'test', 'test', 'failed', '{}', ${AT}, ${AT})`,
  );
  return 'dlv_owner';
}

function filled(route: string): { readonly method: string; readonly path: string } {
  const [method = '', path = ''] = route.split(' ');
  const named = { ...owned };
  if (path.startsWith('/api/settings-keys')) named.key_id = owned.settings_key_id!;
  if (path.startsWith('/api/voice-configs')) named.id = owned.voice_config_id!;
  return { method, path: path.replaceAll(/\{(\w+)\}/g, (_, name: string) => named[name] ?? `no ${name}`) };
}

const routes = Object.entries(ROUTE_TABLE).filter(([, access]) => access !== 'public');

it('every route answers 404 for objects of another account', async () => {
  const heard: Record<string, number> = {};
  const wanted: Record<string, number> = {};
  for (const [route, access] of routes.filter(([name]) => name.includes('{'))) {
    const { method, path } = filled(route);
    const body = BODIES[route]?.(owned);
    const answer = await stranger.request(method, path, body);
    [heard[route], wanted[route]] = [answer.status, 404];
    if (access !== 'runtime') continue;
    const byKey = await gateway.api(strangersAgentKey).request(method, path, body);
    [heard[`${route} by key`], wanted[`${route} by key`]] = [byKey.status, 404];
  }
  expect(heard).toEqual(wanted);
});

it('a stranger can neither become the owner of another account’s bot nor send with it', async () => {
  const { bot_id, conversation_id } = owned;
  const path = '/api/platforms/discord';
  const mark = (who: Person) => who.request('POST', `${path}/owner`, { conversation_id });
  expect((await mark(stranger)).status).toBe(404);
  for (const what of ['owner/code', 'test-dm'])
    expect((await stranger.request('POST', `${path}/${what}?connection_id=${bot_id}`)).status).toBe(404);
  expect((await mark(owner)).status).toBe(200);
});

/** The call of the owner is neither answered nor over. */
const ONLY_ACTIVE = 'GET /api/call/{call_id}/audio';
const ONLY_OVER = 'GET /api/calls/history/{call_id}';

it('the owner gets 200 from these routes, but for two about other states of calls, so the 404s above are due to the account', async () => {
  const statuses: Record<string, number> = {};
  for (const [route] of routes.filter(([name]) => name.startsWith('GET ') && name.includes('{'))) {
    const { method, path } = filled(route);
    statuses[route] = (await owner.request(method, path)).status;
  }
  const others: Record<string, number> = { [ONLY_ACTIVE]: 409, [ONLY_OVER]: 404 };
  const wanted = Object.keys(statuses).map((route) => [route, others[route] ?? 200]);
  expect(statuses).toEqual(Object.fromEntries(wanted));
});

it('no list contains anything of another account', async () => {
  const owners = [
    ...Object.values(owned).filter((id) => id !== 'sip_number' && id !== 'local'),
    ...[
      'owner@',
      'ownertrunk',
      'ownerlabel',
      'ownersecondagent',
      'ownerkey',
      'ownersettings',
      'ownerpreset',
      'ownerconnection',
      'ownerremote',
      'ownermessage',
    ],
    '+33199887766',
    'ownersubject',
  ];
  for (const [route] of routes.filter(([name]) => name.startsWith('GET ') && !name.includes('{'))) {
    const { path } = filled(route);
    const { status, body } = await stranger.request('GET', path);
    const text = JSON.stringify(body);
    expect(
      owners.filter((mark) => text.includes(mark)),
      `${route} (${status})`,
    ).toEqual([]);
  }
});

it('the inbox returns nothing of another account, even with one of its cursors', async () => {
  for (const cursor of ['2026-01-01T00:00:00.000Z', '2026-01-02T03:04:05.678Z|msg_owner']) {
    const path = `/api/inbox?last_message_cursor=${encodeURIComponent(cursor)}`;
    expect((await stranger.request('GET', path)).body.conversations).toEqual([]);
    expect(
      (await stranger.request('GET', `${path}&platform=discord&peer=ownerremote`)).body.conversations,
    ).toEqual([]);
  }
  const { body } = await owner.request('GET', '/api/inbox?last_message_cursor=2026-01-01');
  expect(body.conversations).toMatchObject([
    { remote_id: 'ownerremote', messages: [{ text: 'ownermessage' }] },
  ]);
});

it('a stranger cannot attach objects of another account to their own agent', async () => {
  const [{ id: agentId }] = (await stranger.request('GET', '/api/agents')).body.agents;
  const attach = async (type: string, id: string) =>
    (
      await stranger.request('POST', `/api/agents/${agentId}/accounts`, {
        account_type: type,
        account_id: id,
      })
    ).status;
  expect(await attach('sip_number', owned.did_id!)).toBe(404);
  expect(await attach('bot_token', owned.bot_id!)).toBe(404);
  expect(await attach('connection', owned.connection_id!)).toBe(404);
  expect((await stranger.request('POST', `/api/agents/${agentId}/keys/${owned.key_id}`)).status).toBe(404);
});
