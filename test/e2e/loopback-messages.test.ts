import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LoopbackWorld, type RegisteredBot } from '../loopback/loopback-world.ts';
import { PLATFORM } from '../loopback/platform.ts';
import type { Account } from '../loopback/server/accounts.ts';
import type { Message, Space } from '../loopback/server/space.ts';
import type { AnyJson } from '../support/any-json.ts';
import { connectMcp } from '../support/mcp-client.ts';
import { waitFor } from '../support/wait-for.ts';

const PNG = Buffer.from('89504e470d0a1a0a', 'hex');

let world: LoopbackWorld;
let bot: RegisteredBot;
let ada: Account;
let ben: Account;

beforeAll(async () => {
  world = await LoopbackWorld.start();
  bot = await world.bot('Attendant');
  [ada, ben] = [world.vendor.accounts.person('Ada'), world.vendor.accounts.person('Ben')];
});
afterAll(() => world?.stop());

const api = () => world.gateway.agentApi;

async function cursorNow(): Promise<string> {
  return (await api().get('/api/inbox')).body.cursor;
}

/** What the inbox has new since a cursor; waits for it. */
async function news(cursor: string): Promise<AnyJson> {
  return (await api().get(`/api/inbox?wait=10&last_message_cursor=${encodeURIComponent(cursor)}`)).body;
}

/** The one conversation with something new since a cursor. */
async function newConversation(cursor: string): Promise<AnyJson> {
  const { conversations } = await news(cursor);
  expect(conversations).toHaveLength(1);
  return conversations[0];
}

function reply(conversation_id: string, fields: object): Promise<{ status: number; body: AnyJson }> {
  return api().post('/api/dm/chat', { platform: PLATFORM, conversation_id, ...fields });
}

/** What the bot has written in a space. */
function written({ messages }: Space): Message[] {
  return messages.filter(({ author }) => author.id === bot.account.id);
}

describe('a direct conversation', () => {
  it('goes both ways, with files, typing and edits', async () => {
    const space = world.vendor.direct(ada, bot.account);
    let cursor = await cursorNow();
    const file = world.vendor.files.keep('dot.png', 'image/png', PNG);
    const first = space.write(ada, { text: 'Hello', files: [file] });
    const conversation = await newConversation(cursor);
    expect(conversation).toMatchObject({
      platform: PLATFORM,
      kind: 'direct',
      remote_id: ada.id,
      remote_name: 'Ada',
      messages: [{ text: 'Hello', attachments: [{ name: 'dot.png', mime: 'image/png', size: PNG.length }] }],
    });
    const { url } = conversation.messages[0].attachments[0];
    expect(Buffer.from(await (await fetch(url)).arrayBuffer())).toEqual(PNG);

    const { conversation_id } = conversation;
    const typing = { platform: PLATFORM, conversation_id };
    expect((await api().post('/api/dm/typing', typing)).status).toBe(200);
    await waitFor('the typing indicator', () => space.typing.includes('Attendant'));

    const upload = { bytes_b64: PNG.toString('base64'), name: 'answer.png', mime: 'image/png' };
    const { file_id } = (await api().post('/api/files', upload)).body;
    expect((await reply(conversation_id, { text: 'Hi Ada', attachments: [{ file_id }] })).status).toBe(202);
    await waitFor('the reply', () => written(space).length === 1);
    const [answer] = written(space);
    expect(answer).toMatchObject({ text: 'Hi Ada', thread: null, files: [{ name: 'answer.png' }] });
    expect(world.vendor.files.get(answer!.files[0]!.id).bytes).toEqual(PNG);

    cursor = await cursorNow();
    space.edit(ada, first.id, 'Hello there');
    const edited = await waitFor('the edit', async () =>
      (await news(cursor)).events.find(({ type }: { type: string }) => type === 'dm_edited'),
    );
    expect(edited).toMatchObject({ conversation_id });
    const shown = (await api().get(`/api/inbox?platform=${PLATFORM}&peer=${ada.id}`)).body;
    expect(JSON.stringify(shown)).toContain('Hello there');
  });

  it('is written to once when the vendor is slow, and not at all when it refuses', async () => {
    const carl = world.vendor.accounts.person('Carl');
    const space = world.vendor.direct(carl, bot.account);
    const cursor = await cursorNow();
    space.write(carl, { text: 'Hello' });
    const { conversation_id } = await newConversation(cursor);
    world.vendor.faults.throttle(2, 0.2);
    expect(await reply(conversation_id, { text: 'patience' })).toMatchObject({
      status: 200,
      body: { status: 'delivered' },
    });
    space.refusals.set('rude words', 'Mind your language');
    const refused = await reply(conversation_id, { text: 'rude words' });
    expect([refused.status, refused.body.detail]).toEqual([
      502,
      expect.stringContaining('Mind your language'),
    ]);
    expect((await reply(conversation_id, { text: 'x'.repeat(2_001) })).status).toBe(502);
    expect(written(space).map(({ text }) => text)).toEqual(['patience']);
    space.isGone = true;
    expect((await reply(conversation_id, { text: 'anybody?' })).status).toBe(502);
    const { conversations } = (await api().get('/api/inbox?status=closed')).body;
    expect(conversations.map((each: AnyJson) => each.conversation_id)).toContain(conversation_id);
  });

  it('works by MCP', async () => {
    const dora = world.vendor.accounts.person('Dora');
    const space = world.vendor.direct(dora, bot.account);
    const { baseUrl, agentKey } = world.gateway;
    const client = await connectMcp({ kind: 'v2 modern', path: 'http', baseUrl, apiKey: agentKey });
    const { last_message_cursor } = (await client.call('svc_account')).structured;
    space.write(dora, { text: 'Is anybody there?' });
    const { conversations } = (await client.call('svc_inbox', { last_message_cursor, wait: 10 })).structured;
    expect(conversations).toMatchObject([{ remote_name: 'Dora', messages: [{ text: 'Is anybody there?' }] }]);
    const to = { platform: PLATFORM, conversation_id: conversations[0].conversation_id };
    expect((await client.call('svc_dm_typing', to)).isError).toBe(false);
    expect((await client.call('svc_dm_chat', { ...to, text: 'I am' })).isError).toBe(false);
    expect(written(space)).toMatchObject([{ text: 'I am' }]);
    await client.close();
  });
});

describe('a channel', () => {
  it('is one conversation for all who write there, and its webhook is answered with the next message', async () => {
    const channel = world.vendor.channel('general', ada, ben, bot.account);
    let cursor = await cursorNow();
    channel.write(ada, { text: 'Who is on duty?' });
    const conversation = await newConversation(cursor);
    const { conversation_id } = conversation;
    expect(conversation).toMatchObject({
      kind: 'channel',
      remote_id: channel.id,
      remote_name: 'general',
      messages: [{ text: 'Who is on duty?', sender: { id: ada.id, name: 'Ada' } }],
    });
    expect((await reply(conversation_id, { text: 'I am' })).status).toBe(200);
    await waitFor('the answer', () => written(channel).length === 1);
    expect(written(channel)).toMatchObject([{ text: 'I am', thread: null }]);
    const { answers } = world.vendor.webhookOf(bot.account);
    expect(answers.at(-1)).toEqual({ status: 200, text: 'I am' });

    // The second message finds no webhook that waits, and is sent.
    expect((await reply(conversation_id, { text: 'And I stay' })).status).toBe(200);
    await waitFor('the second message', () => written(channel).length === 2);
    expect(answers.some(({ text }) => text === 'And I stay')).toBe(false);

    cursor = await cursorNow();
    channel.write(ben, { text: 'Good' });
    expect(await newConversation(cursor)).toMatchObject({
      conversation_id,
      messages: [{ text: 'Good', sender: { id: ben.id, name: 'Ben' } }],
    });
    expect((await reply(conversation_id, { text: 'Thanks' })).status).toBe(200);
  });

  it('has threads, each a conversation of its own that is answered there', async () => {
    const channel = world.vendor.channel('support', ada, ben, bot.account);
    let cursor = await cursorNow();
    const root = channel.write(ada, { text: 'It does not work' });
    const outside = await newConversation(cursor);
    expect((await reply(outside.conversation_id, { text: 'See the thread' })).status).toBe(200);
    cursor = await cursorNow();
    channel.write(ben, { text: 'What exactly?', thread: root.id });
    const thread = await newConversation(cursor);
    expect(thread).toMatchObject({ kind: 'channel', remote_id: channel.id, thread: root.id });
    expect(thread.conversation_id).not.toBe(outside.conversation_id);
    expect((await reply(thread.conversation_id, { text: 'Let me look' })).status).toBe(200);
    await waitFor('both', () => written(channel).length === 2);
    expect(written(channel).find(({ text }) => text === 'Let me look')?.thread).toBe(root.id);
    expect(written(channel).find(({ text }) => text === 'See the thread')?.thread).toBeNull();
  });

  it('is edited through the webhook, too', async () => {
    const channel = world.vendor.channel('drafts', ada, bot.account);
    const cursor = await cursorNow();
    const { id } = channel.write(ada, { text: 'Furst' });
    const { conversation_id } = await newConversation(cursor);
    expect((await reply(conversation_id, { text: 'A typo' })).status).toBe(200);
    const edits = await cursorNow();
    channel.edit(ada, id, 'First');
    const { events } = await news(edits);
    expect(events).toMatchObject([{ type: 'dm_edited', conversation_id }]);
  });
});

describe('the webhook', () => {
  const post = (loginKey: string, body: string, headers: Record<string, string>) =>
    fetch(`${world.gateway.baseUrl}/api/${PLATFORM}/webhook/${loginKey}`, { method: 'POST', body, headers });

  it('takes nothing that the vendor has not signed', async () => {
    const sender = world.vendor.webhookOf(bot.account);
    const event = JSON.stringify({ type: 'verify', challenge: 'x' });
    const signed = sender.headersOf(event);
    const other = sender.headersOf('{}');
    const answers = await Promise.all([
      post(bot.id, event, signed),
      post(bot.id, event, {}),
      post(bot.id, event, other),
      post('bot_unknown', event, signed),
      post(bot.id, '{}', other),
      post(bot.id, '['.repeat(65_536), sender.headersOf('['.repeat(65_536))),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 401, 404, 400, 400]);
    expect(answers[0]!.headers.get('x-loopback-signature')).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe('a bot', () => {
  it('is refused with a wrong token, and twice', async () => {
    const wrong = await world.registerBot('lbk_nonsense');
    expect([wrong.status, wrong.body.detail]).toEqual([400, expect.stringContaining('The token is invalid')]);
    const { token } = world.vendor.accounts.bot('Twin');
    world.gateway.secrets.add(token);
    expect((await world.registerBot(token)).status).toBe(200);
    expect((await world.registerBot(token)).status).toBe(409);
  });

  it('shows why it no longer works', async () => {
    const revoked = await world.bot('Short-lived');
    const cursor = await cursorNow();
    world.vendor.direct(ben, revoked.account).write(ben, { text: 'Are you there?' });
    const { conversation_id } = await newConversation(cursor);
    world.vendor.accounts.revokeBot(revoked.account.id);
    expect((await reply(conversation_id, { text: 'No longer' })).status).toBe(502);
    await waitFor('the status', async () =>
      (await world.accounts()).some(
        ({ id, status }) => id === revoked.id && status === 'The token is invalid',
      ),
    );
    expect((await world.platform()).status).toBe('ok');
  });
});
