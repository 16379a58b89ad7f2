import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { FakeCloudApi } from '../fakes/whatsapp/cloud-api.ts';
import type { FakePerson } from '../fakes/whatsapp/person.ts';
import type { AnyJson } from '../support/any-json.ts';
import { Gateway } from '../support/gateway.ts';
import { waitFor } from '../support/wait-for.ts';

let api: FakeCloudApi;
let gateway: Gateway;
let ada: FakePerson;

beforeAll(async () => {
  api = await FakeCloudApi.start();
  gateway = await Gateway.start({ env: api.settings });
  for (const secret of [api.accessToken, api.appSecret, api.verifyToken]) gateway.secrets.add(secret);
  await api.webhook.subscribe(`${gateway.baseUrl}/api/whatsapp/webhook/shared`);
  ada = api.addPerson({ name: 'Ada', phone: '15551230001' });
});
afterAll(async () => {
  await gateway?.stop();
  await api?.stop();
});

/** Follows a fresh invite link, and sends its prepared text. */
async function join(person: FakePerson): Promise<void> {
  const href = await waitFor('the link', async () => {
    const { body } = await gateway.settingsApi.post('/api/invite-link');
    return body.whatsapp_url as string | null;
  });
  expect((await api.says(person, new URL(href).searchParams.get('text')!)).status).toBe(200);
}

async function chat(text: string, more: object = {}) {
  return await gateway.agentApi.post('/api/dm/chat', { platform: 'whatsapp', text, ...more });
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads the fields it needs and asserts on them
async function detail(): Promise<any> {
  const { body } = await gateway.agentApi.get('/api/inbox?platform=whatsapp');
  return body.conversations[0];
}

it('has no conversation before a person follows an invite link', async () => {
  expect((await chat('anybody?')).status).toBe(404);
  const eve = api.addPerson({ name: 'Eve', phone: '15551230009' });
  await api.says(eve, 'hello?');
  await waitFor('a polite answer', () => eve.texts.length === 1);
});

it('adds a person who follows an invite link, and carries messages both ways', async () => {
  await join(ada);
  await api.says(ada, 'Are you there? ☎️');
  const { remote_name, messages, whatsapp_window } = await detail();
  expect(remote_name).toBe('Ada');
  expect(messages.map(({ text }: { text: string }) => text)).toEqual(['Hello!', 'Are you there? ☎️']);
  expect(whatsapp_window).toMatchObject({ open: true, pending_count: 0 });
  const { platforms } = (await gateway.agentApi.get('/api/account')).body;
  expect(platforms.whatsapp).toMatchObject({ status: 'ok', files: true });
  const { status, body } = await chat('Yes.');
  expect([status, body.status, body.delivery]).toEqual([200, 'delivered', 'sync']);
  expect(ada.texts).toEqual(['Yes.']);
});

it('sends files and stores received ones', async () => {
  const bytes = randomBytes(2_000);
  const attachment = { bytes_b64: bytes.toString('base64'), name: 'plan.pdf', mime: 'application/pdf' };
  expect((await chat('the plan', { attachments: [attachment] })).status).toBe(202);
  await waitFor('the file', () => ada.arrived.at(-1)?.request.type === 'document');
  const { request } = ada.arrived.at(-1)!;
  expect(request).toMatchObject({
    type: 'document',
    document: { caption: 'the plan', filename: 'plan.pdf' },
  });
  const { id } = api.media.add('image/jpeg', 'photo.jpg', bytes);
  await api.writes(ada, 'image', { id, mime_type: 'image/jpeg', sha256: '', caption: 'look' });
  const [sent] = (await detail()).messages.at(-1).attachments;
  expect(sent).toMatchObject({ name: 'image.jpg', mime: 'image/jpeg' });
  const fetched = await fetch(sent.url);
  expect(Buffer.from(await fetched.arrayBuffer())).toEqual(bytes);
});

it('drops the caption of audio, however long it is', async () => {
  const audio = { bytes_b64: randomBytes(99).toString('base64'), name: 'a.mp3', mime: 'audio/mpeg' };
  const before = ada.arrived.length;
  expect((await chat('x'.repeat(2_000), { attachments: [audio] })).status).toBe(202);
  await waitFor('the audio', () => ada.arrived.at(-1)?.request.type === 'audio');
  expect(ada.arrived).toHaveLength(before + 1);
});

it('tells why WhatsApp refused the template, and tries it again with the next message', async () => {
  ada.lastWroteMs = null;
  api.areTemplatesPaused = true;
  const { status, body } = await chat('paused');
  expect([status, body]).toMatchObject([202, { template_sent: false, queue_position: 1 }]);
  expect(body.template_error).toContain('Template is paused due to low quality');
  api.areTemplatesPaused = false;
  const second = (await chat('again')).body;
  expect(second).toMatchObject({ template_sent: true, queue_position: 2 });
  expect(second).not.toHaveProperty('template_error');
  await api.says(ada, 'Here I am');
  await waitFor('the queue', () => ada.texts.slice(-2).join() === 'paused,again');
});

it('queues messages outside the window, even over a restart, until the person writes', async () => {
  const url = `${gateway.baseUrl.replace('http', 'ws')}/api/inbox/stream?api_key=${gateway.agentKey}`;
  ada.lastWroteMs = null;
  ada.arrived.length = 0;
  expect(await chat('first')).toMatchObject({
    status: 202,
    body: { status: 'queued', reason: 'outside_24h_window', template_sent: true, queue_position: 1 },
  });
  expect(await chat('second')).toMatchObject({
    status: 202,
    body: { status: 'queued', template_sent: false, queue_position: 2 },
  });
  expect(ada.templates.slice(-1)).toEqual(['first']);
  expect((await detail()).whatsapp_window).toMatchObject({ open: false, pending_count: 2 });

  await gateway.restart();

  const socket = new WebSocket(url);
  const frames: AnyJson[] = [];
  socket.on('message', (data) => frames.push(JSON.parse(`${data}`)));
  await waitFor('the stream', () => frames.length > 0);
  await api.says(ada, 'I am back');
  await waitFor('the reply on the feed', () => frames.some(({ type }) => type === 'dm_chat'));
  socket.terminate();
  expect(ada.texts).toEqual(['first', 'second']);
  const told = frames.filter(({ type }) => type === 'dm_delivered' || type === 'dm_chat');
  expect(told.map(({ type }) => type)).toEqual(['dm_delivered', 'dm_chat']);
  expect(told[0].delivered_ids).toHaveLength(2);
  expect((await detail()).whatsapp_window).toMatchObject({ open: true, pending_count: 0 });
  expect((await chat('third')).status).toBe(200);
});

it('queues a message again that WhatsApp refuses by a later status', async () => {
  api.windowRefusal = 'async';
  ada.lastWroteMs = null;
  ada.arrived.length = 0;
  expect((await chat('too late')).status).toBe(200);
  await waitFor('the template', () => ada.templates.length === 1);
  await api.says(ada, 'hm?');
  await waitFor('the message', () => ada.texts.includes('too late'));
  // Until its outcome is stored, the next message would queue behind it.
  await waitFor('an empty queue', async () => (await detail()).whatsapp_window.pending_count === 0);
  api.windowRefusal = 'sync';
});

it('shows a message as unknown when the answer of WhatsApp is lost, until a status arrives', async () => {
  api.statusPlan = [];
  api.cutNext('after');
  expect((await chat('perhaps')).status).toBe(502);
  expect((await detail()).messages.at(-1)).toMatchObject({ text: 'perhaps', status: 'unknown' });
  expect(await api.tells(ada, ada.arrived.at(-1)!.wamid, 'delivered')).toBe(200);
  expect((await detail()).messages.at(-1)).toMatchObject({ text: 'perhaps', status: 'delivered' });
  api.statusPlan = ['sent', 'delivered'];
});

it('accepts webhooks from Meta only', async () => {
  const path = '/api/whatsapp/webhook/shared';
  expect(
    (await gateway.api(null).post(path, { object: 'whatsapp_business_account', entry: [] })).status,
  ).toBe(401);
  expect(
    (await gateway.api(null).get(`${path}?hub.mode=subscribe&hub.verify_token=x&hub.challenge=1`)).status,
  ).toBe(403);
  expect((await gateway.api(null).get('/api/whatsapp/webhook/other?hub.mode=subscribe')).status).toBe(404);
});
