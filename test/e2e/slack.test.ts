import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { FakePerson } from '../fakes/slack/fake-person.ts';
import type { FakeApp, Installation } from '../fakes/slack/world/fake-app.ts';
import type { AnyJson } from '../support/any-json.ts';
import type { Gateway } from '../support/gateway.ts';
import { readGatewayRows } from '../support/gateway-database.ts';
import { connectMcp } from '../support/mcp-client.ts';
import { SlackWorld } from '../support/slack-world.ts';
import { waitFor } from '../support/wait-for.ts';

const KINDS = ['own bot', 'shared app'] as const;

interface Bot {
  readonly app: FakeApp;
  readonly installation: Installation;
  /** Id of the bot, or of the connection. */
  readonly id: string;
}

let world: SlackWorld;
let gateway: Gateway;
const bots = new Map<(typeof KINDS)[number], Bot>();

beforeAll(async () => {
  world = await SlackWorld.start({ env: { SVC_DM_TIMEOUT_TEXT: 'off' } });
  ({ gateway } = world);
  bots.set('own bot', await ownBot());
  bots.set('shared app', await sharedApp());
});
afterAll(async () => {
  await world?.stop();
  expect(world.slack.offences).toEqual([]);
});

async function ownBot(): Promise<Bot> {
  const app = world.slack.addApp('Own');
  const installation = app.install(world.slack.addWorkspace());
  for (const secret of [installation.token, app.signingSecret]) gateway.secrets.add(secret);
  const secrets = { bot_token: installation.token, slack_signing_secret: app.signingSecret };
  const { status, body } = await gateway.settingsApi.post('/api/bot-tokens', {
    platform: 'slack',
    ...secrets,
  });
  expect([status, body.status, body.bot_name]).toEqual([200, 'ok', '@own']);
  await app.delivery.subscribe(`${gateway.baseUrl}/api/slack/webhook`);
  return { app, installation, id: body.id };
}

async function sharedApp(): Promise<Bot> {
  const workspace = world.slack.addWorkspace('Sharing');
  const { user } = world.slack.addPerson(workspace, 'Installer');
  return { app: world.app, ...(await world.install({ workspace, user })) };
}

function personAt({ installation }: Bot, name: string): FakePerson {
  return world.slack.addPerson(installation.workspace, name);
}

/** Texts that the bot has written to a person. */
function received(who: FakePerson, { installation }: Bot): string[] {
  return who.received(installation).map(({ text }) => text);
}

/** An agent that listens on the inbox WebSocket and answers each message, by REST or over MCP. */
async function scriptedAgent(answer: (conversationId: string, text: string) => Promise<unknown>) {
  const url = `${gateway.baseUrl.replace('http', 'ws')}/api/inbox/stream?api_key=${gateway.agentKey}`;
  const socket = new WebSocket(url);
  let isReady = false;
  const answers: Promise<unknown>[] = [];
  socket.on('message', (data) => {
    const frame: AnyJson = JSON.parse(`${data}`);
    if (frame.type === 'ready') isReady = true;
    if (frame.type !== 'dm_chat' || frame.message.direction !== 'inbound') return;
    answers.push(answer(frame.conversation_id, `You said: ${frame.message.text}`));
  });
  await waitFor('the inbox', () => isReady);
  return async () => {
    socket.terminate();
    await Promise.all(answers);
  };
}

describe.each(KINDS)('%s', (kind) => {
  it('a scripted agent hears by the inbox WebSocket, and answers by REST and over MCP, in threads as well', async () => {
    const { baseUrl, agentKey: apiKey } = gateway;
    const mcp = await connectMcp({ kind: 'v2 modern', path: 'http', baseUrl, apiKey });
    let isByMcp = false;
    const end = await scriptedAgent(async (conversation_id, text) => {
      const dm = { platform: 'slack', conversation_id, text };
      if (isByMcp) await mcp.call('svc_dm_chat', dm);
      else expect((await gateway.agentApi.post('/api/dm/chat', dm)).status).toBe(200);
    });
    const bot = bots.get(kind)!;
    const { installation } = bot;
    const ada = personAt(bot, `Ada of the ${kind}`);
    const direct = ada.directMessages(installation);
    ada.says(direct, 'hello');
    await waitFor('the answer by REST', () => received(ada, bot).includes('You said: hello'));
    isByMcp = true;
    const { message } = ada.says(direct, 'again');
    await waitFor('the answer over MCP', () => received(ada, bot).includes('You said: again'));
    ada.says(direct, 'in a thread', message.ts);
    await waitFor('the answer in the thread', () =>
      direct.messages.some(
        ({ text, threadTs }) => text === 'You said: in a thread' && threadTs === message.ts,
      ),
    );
    await end();
    await mcp.close();
  });

  it.each([
    ['1 B', 1],
    ['25 MB', 25 * 1024 * 1024],
  ])(
    'transfers a file of %s both ways, to the byte',
    async (_size, length) => {
      const bytes = randomBytes(length);
      const bot = bots.get(kind)!;
      const { installation } = bot;
      const bob = personAt(bot, `Bob with ${length}`);
      bob.sends(bob.directMessages(installation), {
        name: 'data.bin',
        mime: 'application/octet-stream',
        bytes,
      });
      const conversation = await conversationOf(bob);
      const [attachment] = conversation.messages.at(-1).attachments;
      expect(attachment.name).toBe('data.bin');
      const inbound = Buffer.from(await (await fetch(attachment.url)).arrayBuffer());
      expect(inbound.equals(bytes)).toBe(true);

      const form = new FormData();
      form.append('file', new Blob([bytes]), 'data.bin');
      const headers = { 'X-API-Key': gateway.agentKey };
      const uploaded = await fetch(`${gateway.baseUrl}/api/files`, { method: 'POST', headers, body: form });
      const { file_id, detail } = (await uploaded.json()) as AnyJson;
      expect([uploaded.status, detail]).toEqual([200, undefined]);
      const { conversation_id } = conversation;
      const dm = { platform: 'slack', conversation_id, text: 'back', attachments: [{ file_id }] };
      expect((await gateway.agentApi.post('/api/dm/chat', dm)).status).toBeLessThan(300);
      await waitFor('the file', () => bob.received(installation).length > 0);
      const [sent] = bob.received(installation);
      expect([sent!.text, sent!.files[0]!.bytes.equals(bytes)]).toEqual(['back', true]);
    },
    60_000,
  );

  it('says so when Slack answers with a page to sign in instead of a file', async () => {
    const bot = bots.get(kind)!;
    const { installation } = bot;
    const cleo = personAt(bot, 'Cleo');
    installation.scopes.delete('files:read');
    const file = { name: 'plan.pdf', mime: 'application/pdf', bytes: Buffer.from('%PDF') };
    // Slack tells of the file, and refuses only its bytes.
    const { message } = cleo.sends(cleo.directMessages(installation), file);
    const [attachment] = (await conversationOf(cleo)).messages.at(-1).attachments;
    const refused = await fetch(attachment.url);
    installation.scopes.add('files:read');
    expect([refused.status, await refused.text()]).toEqual([502, expect.stringMatching(/files:read/)]);
    message.files[0]!.isDeleted = true;
    expect((await fetch(attachment.url)).status).toBe(410);
  });

  it('stores an event once that Slack repeats because the answer is slow', async () => {
    const bot = bots.get(kind)!;
    const { app, installation } = bot;
    const dan = personAt(bot, 'Dan');
    const text = `slow for the ${kind}`;
    const { id: channel } = dan.directMessages(installation);
    const event = {
      type: 'message',
      channel_type: 'im',
      channel,
      user: dan.user.id,
      text,
      ts: '1700000000.000100',
    };
    const body = JSON.stringify(app.envelope(installation, event));
    const post = async (more: Readonly<Record<string, string>> = {}) => {
      const { headers } = app.delivery.signed(body);
      const url = `${gateway.baseUrl}/api/slack/webhook`;
      return (await fetch(url, { method: 'POST', headers: { ...headers, ...more }, body })).status;
    };
    const reached = Promise.withResolvers<void>();
    world.slack.fail('users.info', { kind: 'hang', reached: reached.resolve });
    const first = post();
    await reached.promise;
    const retry = { 'X-Slack-Retry-Num': '1', 'X-Slack-Retry-Reason': 'http_timeout' };
    expect(await Promise.all([first, post(retry), post(retry)])).toEqual([200, 200, 200]);
    expect(await post(retry)).toBe(200);
    const stored = readGatewayRows(gateway.dataFolder, `select 1 from messages where text = '${text}'`);
    expect(stored.length).toBe(1);
  });
});

it('sends test messages to the owner of a bot, and tells why Slack refuses them', async () => {
  const bot = bots.get('own bot')!;
  const { installation, id: botId } = bot;
  const [olga, eve] = [personAt(bot, 'Olga'), personAt(bot, 'Eve')];
  const path = '/api/platforms/slack';
  const test = () => gateway.settingsApi.post(`${path}/test-dm?connection_id=${botId}`);
  expect((await test()).status).toBeGreaterThanOrEqual(400);
  const { body: made } = await gateway.settingsApi.post(`${path}/owner/code?connection_id=${botId}`);
  gateway.secrets.add(made.code);
  eve.says(eve.directMessages(installation), 'owner-0000-0000-0000');
  olga.says(olga.directMessages(installation), made.code);
  await waitFor('the confirmation', () =>
    received(olga, bot).some((text) => text.startsWith('You are now the owner')),
  );
  expect((await test()).status).toBe(200);
  await waitFor('the test message', () =>
    received(olga, bot).some((text) => text.startsWith('This is a test message')),
  );
  expect(received(eve, bot)).toEqual([]);
  world.slack.fail('chat.postMessage', { kind: 'refuse', error: 'messages_tab_disabled' });
  const refused = await test();
  expect([refused.status, refused.body.detail]).toEqual([
    502,
    expect.stringContaining('messages_tab_disabled'),
  ]);
});

/** A person's conversation, once a message of theirs has come. */
async function conversationOf({ user }: FakePerson): Promise<AnyJson> {
  return await waitFor(`a conversation with ${user.realName}`, async () => {
    const { conversations = [] } = (await gateway.agentApi.get('/api/inbox?platform=slack')).body;
    return conversations.find((each: AnyJson) => each.remote_id === user.id && each.messages.length > 0);
  });
}
