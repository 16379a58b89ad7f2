import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FakeBot } from '../fakes/telegram/fake-bot.ts';
import type { FakePerson } from '../fakes/telegram/fake-person.ts';
import { FakeTelegram } from '../fakes/telegram/fake-telegram.ts';
import type { Gateway } from '../support/gateway.ts';
import { GatewayPair } from '../support/gateway-pair.ts';
import { CLIENT_KINDS, connectMcp, type McpClient, type McpNotice } from '../support/mcp-client.ts';
import { TcpRelay } from '../support/tcp-relay.ts';
import { waitFor } from '../support/wait-for.ts';

/** Specification, "MCP tools (15)", and one for reactions. */
const TOOLS = [
  'svc_account',
  'svc_call_accept',
  'svc_call_chat',
  'svc_call_join',
  'svc_call_leave',
  'svc_call_list',
  'svc_call_refuse',
  'svc_call_say',
  'svc_call_status',
  'svc_call_stop_speaking',
  'svc_call_typing',
  'svc_dm_chat',
  'svc_dm_react',
  'svc_dm_typing',
  'svc_file_upload_url',
  'svc_inbox',
];
const ANSWERING_NUMBER = '+33800000001';
const CHANNEL = 'notifications/claude/channel';

const CASES = CLIENT_KINDS.flatMap((kind) =>
  (['http', 'shim'] as const).flatMap((path) =>
    [false, true].map((isStateful) => ({
      kind,
      path,
      isStateful,
      mode: isStateful ? 'stateful' : 'stateless',
    })),
  ),
);
/** The newest generation of the protocol has no sessions. */
const SESSION_CASES = CASES.filter(({ kind, isStateful }) => isStateful && kind !== 'v2 modern');

let telegram: FakeTelegram;
let bot: FakeBot;
let pair: GatewayPair;
let gateway: Gateway;
let people = 0;

beforeAll(async () => {
  telegram = await FakeTelegram.start();
  bot = telegram.addBot('mcp_bot');
  pair = await GatewayPair.start({ callee: { env: { SVC_TELEGRAM_API_URL: telegram.url } } });
  gateway = pair.callee;
  gateway.secrets.add(bot.token);
  const registered = await gateway.settingsApi.post('/api/bot-tokens', {
    platform: 'telegram',
    bot_token: bot.token,
  });
  expect(registered.status).toBe(200);
  const listed = { number: ANSWERING_NUMBER, auto_answer: true };
  expect((await pair.caller.settingsApi.post('/api/sip/dids', listed)).status).toBe(200);
});
afterAll(async () => {
  await pair?.stop();
  await telegram?.stop();
  expect(telegram.offences).toEqual([]);
});

/** A person who has never written before. */
function somebody(): FakePerson {
  people += 1;
  return bot.person({ id: 1_000 + people, first_name: `Ada ${people}` });
}

async function cursorOf(client: McpClient): Promise<string> {
  return (await client.call('svc_account')).structured.last_message_cursor;
}

/** The texts that were pushed. */
const pushedTexts = ({ notices }: McpClient) =>
  notices.all.filter(({ method }) => method === CHANNEL).map(({ params }) => `${params?.content}`);
const pushes = (text: string) => (notice: McpNotice) =>
  notice.method === CHANNEL && `${notice.params?.content}`.includes(text);

/** Waits until `count` inbox requests are pending. */
async function inboxWaiters(count: number): Promise<void> {
  const read = async () => (await gateway.metric('svc_inbox_waiters')) === count;
  await waitFor(`${count} requests that wait`, read);
}

describe.each(CASES)('the official client, $kind, by $path, $mode', ({ kind, path, isStateful }) => {
  let client: McpClient;

  beforeEach(async () => {
    const { baseUrl, agentKey: apiKey } = gateway;
    client = await connectMcp({ kind, path, isStateful, baseUrl, apiKey });
  });
  afterEach(() => client?.close());

  it('lists tools and resource templates, with descriptions and schemas', async () => {
    const tools = await client.tools();
    expect(tools.map(({ name }) => name).sort()).toEqual(TOOLS);
    for (const tool of tools) {
      expect(tool.description).not.toBe('');
      expect(tool).toMatchObject({ inputSchema: { type: 'object' }, outputSchema: { type: 'object' } });
      expect(tool.annotations).toMatchObject({ readOnlyHint: expect.any(Boolean) });
    }
    expect(client.instructions).toContain('svc_account');
    expect(await client.resourceTemplates()).toEqual(['svc://calls/{call_id}/transcript']);
  });

  it('calls every tool, with a live phone call and a live conversation', async () => {
    // From here on the client checks every answer against the schema of its tool.
    await client.tools();
    const called = new Set<string>();
    const ask = async (tool: string, input: Record<string, unknown> = {}) => {
      called.add(tool);
      const answer = await client.call(tool, input);
      expect([tool, answer.isError, answer.text]).toEqual([tool, false, expect.any(String)]);
      expect(JSON.parse(answer.text)).toEqual(answer.structured);
      return answer.structured;
    };
    const refusal = async (tool: string, input: Record<string, unknown>) => {
      called.add(tool);
      const { isError, text } = await client.call(tool, input);
      const [error, advice] = text.split('\n');
      expect([tool, isError, advice]).toEqual([tool, true, expect.stringContaining('Do not repeat')]);
      return error;
    };

    const ada = somebody();
    const account = await ask('svc_account');
    expect(account.platforms.telegram.status).toBe('ok');
    const news = ask('svc_inbox', { last_message_cursor: account.last_message_cursor, wait: 20 });
    ada.says('hello');
    const [conversation] = (await news).conversations;
    expect(conversation).toMatchObject({ platform: 'telegram', remote_name: ada.facts.first_name });
    expect(conversation.messages).toMatchObject([{ text: 'hello', direction: 'inbound' }]);
    const to = { platform: 'telegram', conversation_id: conversation.conversation_id };
    const message_id = conversation.messages[0].id;
    await ask('svc_dm_react', { platform: 'telegram', message_id, emoji: '👍' });
    await waitFor('the reaction', () => [...ada.reactions.values()].flat().includes('👍'));
    await ask('svc_dm_typing', to);
    const slot = await ask('svc_file_upload_url', { name: 'note.txt', mime: 'text/plain' });
    const form = new FormData();
    form.set('file', new File(['what is in the file'], 'note.txt', { type: 'text/plain' }));
    expect((await fetch(slot.upload_url, { method: 'POST', body: form })).status).toBe(200);
    const sent = await ask('svc_dm_chat', {
      ...to,
      text: 'see for yourself',
      attachments: [{ file_id: slot.file_id }],
    });
    expect(sent).toMatchObject({ status: 'queued', reason: 'still_sending' });
    const since = { last_message_cursor: account.last_message_cursor };
    await waitFor('dm_sent', async () => {
      const { events = [] } = await ask('svc_inbox', since);
      return events.some(
        (event: { type: string; message_id?: string }) =>
          event.type === 'dm_sent' && event.message_id === sent.message_id,
      );
    });
    expect(ada.received.at(-1)).toMatchObject({ caption: 'see for yourself', document: expect.anything() });

    const { inbound } = await pair.ring();
    const call = { call_id: inbound.call_id };
    const { calls } = await ask('svc_call_list');
    expect(calls).toMatchObject([{ ...call, state: 'ringing', direction: 'inbound' }]);
    expect(await refusal('svc_call_say', { ...call, text: 'hello' })).toMatch(/^400 /);
    expect((await ask('svc_call_accept', call)).state).toBe('active');
    const status = await ask('svc_call_status', { ...call, since: 0 });
    expect(status).toEqual((await gateway.agentApi.get(`/api/call/${inbound.call_id}`)).body);
    expect(await refusal('svc_call_chat', { ...call, text: 'hello' })).toMatch(/^400 .*no chat/);
    expect(await refusal('svc_call_typing', call)).toMatch(/^400 .*no typing/);
    expect(await refusal('svc_call_say', { ...call, text: 'hello' })).toBe('400 Hosted TTS not configured');
    await ask('svc_call_stop_speaking', call);
    expect((await ask('svc_call_leave', call)).state).toBe('ended');
    expect(await refusal('svc_call_status', call)).toBe('404 Call not found');

    const second = await pair.ring();
    expect((await ask('svc_call_refuse', { call_id: second.inbound.call_id })).state).toBe('refused');

    const meeting_url = `sip:${ANSWERING_NUMBER}@127.0.0.1:${pair.caller.sipPort}`;
    const placed = await ask('svc_call_join', { platform: 'sip', meeting_url });
    expect(placed).toMatchObject({ capabilities: ['audio_in', 'audio_out'], audio: { sample_rate: 8_000 } });
    await gateway.waitForState(placed.call_id, 'active');
    await ask('svc_call_leave', { call_id: placed.call_id });

    expect(await refusal('svc_dm_chat', { platform: 'telegram' })).toMatch(/^422 /);
    expect([...called].sort()).toEqual(TOOLS);
  });

  it('reads and subscribes to the transcript of a call', async () => {
    const calls = await pair.connect();
    const uri = `svc://calls/${calls.inbound.call_id}/transcript`;
    expect(await client.resources()).toEqual([uri]);
    expect(await client.read(uri)).toBe('');
    // Without a session older clients cannot be notified.
    if (isStateful || kind === 'v2 modern') await client.follow(uri);
    else await expect(client.follow(uri)).rejects.toThrow();
    await pair.hangUp(calls);
    expect(await client.resources()).toEqual([]);
    await expect(client.read(uri)).rejects.toThrow();
  });

  it('stops waiting at once when the client cancels', async () => {
    const cursor = await cursorOf(client);
    await inboxWaiters(0);
    const enough = new AbortController();
    const input = { last_message_cursor: cursor, wait: 55 };
    const waiting = client.call('svc_inbox', input, { signal: enough.signal });
    waiting.catch(() => {});
    await inboxWaiters(1);
    enough.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow();
    await inboxWaiters(0);
  });
});

describe.each(SESSION_CASES)('a session of the official client, $kind, by $path', ({ kind, path }) => {
  let relay: TcpRelay;
  let client: McpClient;

  beforeEach(async () => {
    relay = await TcpRelay.start(gateway.httpPort);
    const { agentKey: apiKey } = gateway;
    client = await connectMcp({ kind, path, isStateful: true, baseUrl: relay.url, apiKey });
  });
  afterEach(async () => {
    await client?.close();
    await relay?.stop();
  });

  it('receives messages and call invitations as notifications', async () => {
    expect(client.capabilities?.experimental).toMatchObject({ 'claude/channel': {} });
    expect((await client.call('svc_account')).structured.features.channel).toBe('ready');
    const ada = somebody();
    ada.says('are you there?');
    const { params } = await client.notices.next('a push', pushes('are you there?'));
    const { meta } = params as { meta: Record<string, unknown> };
    for (const [name, value] of Object.entries(meta)) {
      expect(name).toMatch(/^[a-z][a-z0-9_]*$/);
      expect(value).toEqual(expect.any(String));
    }
    expect(meta).toMatchObject({ type: 'dm_chat', platform: 'telegram' });

    const { inbound } = await pair.ring();
    const isInvitation = ({ params: told }: McpNotice) =>
      (told?.meta as Record<string, string>)?.type === 'call_invite';
    const invite = await client.notices.next('an invitation', isInvitation);
    expect(invite.params?.meta).toMatchObject({ call_id: inbound.call_id, platform: 'sip' });
    await client.call('svc_call_refuse', { call_id: inbound.call_id });
  });

  it('misses and repeats no notification when the connection is cut', async () => {
    const ada = somebody();
    ada.says('one');
    await client.notices.next('a push before the cut', pushes('one'));
    relay.cut();
    ada.says('two');
    ada.says('three');
    await client.notices.next('what was said during the cut', pushes('three'));
    relay.cut();
    ada.says('four');
    await client.notices.next('what was said during the second cut', pushes('four'));
    const words = pushedTexts(client).flatMap((text) => /one|two|three|four/.exec(text) ?? []);
    expect(words).toEqual(['one', 'two', 'three', 'four']);
  });

  it('gets the pending answer after the connection is cut', async () => {
    const cursor = await cursorOf(client);
    const waiting = client.call('svc_inbox', { last_message_cursor: cursor, wait: 55 });
    await inboxWaiters(1);
    relay.cut();
    somebody().says('after the cut');
    const { structured } = await waiting;
    expect(structured.conversations).toMatchObject([{ messages: [{ text: 'after the cut' }] }]);
  });
});
