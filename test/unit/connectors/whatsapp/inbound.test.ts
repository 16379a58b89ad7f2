import { expect, test } from 'vitest';
import { directAddress } from '../../../../src/base/address.ts';
import { STRANGER_TEXT } from '../../../../src/connectors/whatsapp/invitation.ts';
import { API_ERRORS } from '../../../fakes/whatsapp/graph-errors.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { linked, messageTo, soon } from './linked.ts';

const TOKEN = 'Ab3-Cd4_Ef5gHi6jKl7mNo8pQr9sTu0v';

test('a message arrives with both ids of its sender, and the platform’s time', async () => {
  const nowMs = Date.parse('2026-03-04T05:06:07.890Z');
  const { api, intake, ada } = await linked({ nowMs: () => nowMs });
  const { status, wamid } = await api.says(ada, 'Grüß dich / 👋');
  expect(status).toBe(200);
  expect(intake.messages).toEqual([
    {
      from: directAddress({ kind: 'shared' }, ada.userId),
      alias: ada.phone,
      remoteName: 'Ada',
      senderName: null,
      platformMessageId: wamid,
      text: 'Grüß dich / 👋',
      sentAt: '2026-03-04T05:06:07.000Z',
      files: [],
    },
  ]);
});

test('a person with a hidden number is identified by user id alone', async () => {
  const { api, intake } = await linked();
  const bob = api.addPerson({ name: '', username: 'bob', phone: '15551230002', hidesPhone: true });
  intake.contacts.add(bob.userId);
  await api.says(bob, 'hello');
  expect(intake.messages[0]).toMatchObject({
    from: { space: { id: bob.userId } },
    alias: null,
    remoteName: 'bob',
  });
});

test('a message with only the number is resolved by its contact entry', async () => {
  const { api, intake, ada } = await linked();
  await api.posts(ada, [{ id: 'wamid.old', type: 'text', text: { body: 'hi' }, from_user_id: undefined }]);
  expect(intake.messages[0]).toMatchObject({ from: { space: { id: ada.userId } }, alias: ada.phone });
});

const MEDIA = { id: '1234567890', sha256: 'x' };

test.each([
  [
    'image',
    { ...MEDIA, mime_type: 'image/jpeg', caption: 'see' },
    'see',
    { name: 'image.jpg', mime: 'image/jpeg' },
  ],
  ['video', { ...MEDIA, mime_type: 'video/mp4' }, '', { name: 'video.mp4', mime: 'video/mp4' }],
  [
    'audio',
    { ...MEDIA, mime_type: 'audio/ogg; codecs=opus', voice: true },
    '',
    { name: 'voice.ogg', mime: 'audio/ogg' },
  ],
  ['audio', { ...MEDIA, mime_type: 'audio/mpeg' }, '', { name: 'audio.mp3', mime: 'audio/mpeg' }],
  [
    'sticker',
    { ...MEDIA, mime_type: 'image/webp', animated: false },
    '',
    { name: 'sticker.webp', mime: 'image/webp' },
  ],
  [
    'document',
    { ...MEDIA, mime_type: 'application/pdf', filename: 'plan.pdf', caption: 'it' },
    'it',
    { name: 'plan.pdf', mime: 'application/pdf' },
  ],
])('%s arrives as a file', async (type, content, text, file) => {
  const { api, intake, ada } = await linked();
  await api.writes(ada, type, content);
  expect(intake.messages[0]).toMatchObject({ text, files: [{ ...file, ref: '1234567890' }] });
});

test('the size of a document is looked up, so that one too large can be skipped', async () => {
  const { api, intake, ada } = await linked();
  const { id, mime } = api.media.add('application/pdf', 'a.pdf', Buffer.alloc(777));
  await api.writes(ada, 'document', { id, mime_type: mime, sha256: '' });
  expect(intake.messages[0]!.files[0]).toMatchObject({ sizeBytes: 777, ref: id });
});

test.each([
  ['button', { text: 'Yes', payload: 'Yes' }, 'Yes'],
  ['button', { text: 'Yes', payload: 'confirm-7' }, 'Yes\n[id: confirm-7]'],
  ['interactive', { type: 'button_reply', button_reply: { id: '1', title: 'One' } }, 'One\n[id: 1]'],
  [
    'interactive',
    { type: 'list_reply', list_reply: { id: '2', title: 'Two', description: 'the second' } },
    'Two (the second)\n[id: 2]',
  ],
  [
    'interactive',
    {
      type: 'nfm_reply',
      nfm_reply: {
        name: 'flow',
        body: 'Sent',
        response_json: '{"flow_token":"secret","size":"L","toppings":["ham","olives"]}',
      },
    },
    '[form] Sent\nsize: L\ntoppings: ["ham","olives"]',
  ],
  ['interactive', { type: 'nfm_reply', nfm_reply: { response_json: '{' } }, '[form]'],
  [
    'order',
    {
      catalog_id: '9',
      text: 'please',
      product_items: [{ product_retailer_id: 'tea-1', quantity: 2, item_price: 3.5, currency: 'EUR' }],
    },
    '[order] please\n- 2 × tea-1 at 3.5 EUR',
  ],
  ['location', { latitude: 1.5, longitude: '2', name: 'Home' }, '[location: 1.5, 2; Home]'],
  ['contacts', [{ name: { formatted_name: 'Eve' }, phones: [{ phone: '+1555' }] }], '[contact: Eve, +1555]'],
  ['hologram', { depth: 3 }, '[unsupported message: hologram]'],
  ['image', { no: 'id' }, '[unsupported message: image]'],
])('%s is described in words', async (type, content, text) => {
  const { api, intake, ada } = await linked();
  expect((await api.writes(ada, type, content)).status).toBe(200);
  expect(intake.messages.map((message) => message.text)).toEqual([text]);
});

test.each<[string, object, string]>([
  [
    'an advertisement',
    {
      referral: {
        source_url: 'https://fb.me/1',
        source_type: 'ad',
        headline: 'Tea sale',
        body: 'Half price',
      },
    },
    '[from the ad Tea sale, https://fb.me/1]\nhello',
  ],
  [
    'a product',
    {
      context: {
        from: '1',
        id: 'wamid.p',
        referred_product: { catalog_id: '9', product_retailer_id: 'tea-1' },
      },
    },
    '[about the product tea-1]\nhello',
  ],
  ['another chat', { context: { forwarded: true } }, '[forwarded]\nhello'],
])('a message says that it comes from %s', async (_what, origin, text) => {
  const { api, intake, ada } = await linked();
  await api.posts(ada, [{ id: 'wamid.o', type: 'text', text: { body: 'hello' }, ...origin }]);
  expect(intake.messages.map((message) => message.text)).toEqual([text]);
});

test('a reaction is told, and which one was taken back', async () => {
  const { api, intake, ada } = await linked();
  await api.writes(ada, 'reaction', { message_id: 'wamid.x', emoji: '👍' });
  await api.writes(ada, 'reaction', { message_id: 'wamid.x' });
  expect(intake.messages).toEqual([]);
  expect(intake.reactions).toMatchObject([
    { platformMessageId: 'wamid.x', emoji: '👍', isAdded: true },
    { platformMessageId: 'wamid.x', emoji: '👍', isAdded: false },
  ]);
});

test('a message tells what it answers, and what was picked of the gateway’s choices', async () => {
  const { api, intake, ada } = await linked();
  const reply = { type: 'button_reply', button_reply: { id: 'choice-1', title: 'No' } };
  await api.posts(ada, [{ id: 'w1', type: 'interactive', interactive: reply, context: { id: 'wamid.q' } }]);
  expect(intake.messages).toMatchObject([
    { text: 'No', choice: 'No', replyTo: { platformMessageId: 'wamid.q' } },
  ]);
});

test('group messages are ignored', async () => {
  const { api, intake, ada } = await linked();
  await api.posts(ada, [{ id: 'wamid.g', type: 'text', text: { body: 'all' }, group_id: 'g1' }]);
  expect(intake.messages).toEqual([]);
});

test('a batch keeps its order, and an unreadable message does not affect the others', async () => {
  const { api, intake, ada, events } = await linked();
  const text = (id: string) => ({ id, type: 'text', text: { body: id } });
  expect(await api.posts(ada, [text('a'), { type: 'text' }, text('b'), text('c')])).toBe(200);
  expect(intake.messages.map((message) => message.text)).toEqual(['a', 'b', 'c']);
  expect(events).toContain('part_unreadable');
});

test('a message that could not be stored is not acknowledged, and is delivered again', async () => {
  const { api, intake, ada } = await linked();
  intake.failsNext = true;
  expect((await api.says(ada, 'important')).status).toBe(503);
  expect(intake.messages).toEqual([]);
  await api.webhook.redeliver();
  expect(api.webhook.unanswered).toBe(0);
  expect(intake.messages.map(({ text }) => text)).toEqual(['important']);
});

test('payloads for other numbers of the business are acknowledged and ignored', async () => {
  const { api, intake, ada, webhookUrl } = await linked();
  const value = {
    metadata: { phone_number_id: '999' },
    messages: [{ ...ada.sender(), id: 'x', timestamp: '1', type: 'text' }],
  };
  const body = JSON.stringify({
    object: 'whatsapp_business_account',
    entry: [
      {
        id: '1',
        changes: [
          { field: 'messages', value },
          { field: 'account_update', value: {} },
        ],
      },
    ],
  });
  const headers = { 'x-hub-signature-256': api.webhook.signatureOf(body) };
  expect((await fetch(webhookUrl, { method: 'POST', headers, body })).status).toBe(200);
  expect(intake.messages).toEqual([]);
});

test.each([
  ['no signature', () => ({})],
  ['another secret', () => ({ 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` })],
  ['another algorithm', () => ({ 'x-hub-signature-256': 'sha1=0000' })],
])('a payload with %s is refused', async (_what, headers) => {
  const { webhookUrl, events } = await linked();
  const answer = await fetch(webhookUrl, { method: 'POST', headers: headers(), body: '{}' });
  expect(answer.status).toBe(401);
  expect(events).toContain('webhook_refused');
});

test('one changed byte breaks the signature, and a signed but invalid payload is refused as such', async () => {
  const { api, webhookUrl } = await linked();
  const post = async (body: string, signed: string) =>
    (
      await fetch(webhookUrl, {
        method: 'POST',
        headers: { 'x-hub-signature-256': api.webhook.signatureOf(signed) },
        body,
      })
    ).status;
  expect(await post('{"a":"\\u00e9"}', '{"a":"é"}')).toBe(401);
  expect(await post('{"object":"page"}', '{"object":"page"}')).toBe(400);
  expect(await post('not json', 'not json')).toBe(400);
});

test('only a request with the verify token can subscribe', async () => {
  const { api, webhookUrl } = await linked();
  const ask = async (token: string, mode = 'subscribe', url = webhookUrl) => {
    const query = new URLSearchParams({ 'hub.mode': mode, 'hub.verify_token': token, 'hub.challenge': '42' });
    const answer = await fetch(`${url}?${query}`);
    return [answer.status, await answer.text()];
  };
  expect(await ask(api.verifyToken)).toEqual([200, '42']);
  expect((await ask('a guess'))[0]).toBe(403);
  expect((await ask(api.verifyToken, 'unsubscribe'))[0]).toBe(403);
  expect((await ask(api.verifyToken, 'subscribe', webhookUrl.replace('shared', 'other')))[0]).toBe(404);
});

test('an invite link makes its user a contact, whatever text surrounds the token', async () => {
  const { api, intake, connector } = await linked();
  const url = new URL(connector.provides.invitations!.inviteUrl(TOKEN)!);
  expect(`${url.origin}${url.pathname}`).toBe('https://wa.me/15550783881');
  intake.tokens.add(TOKEN);
  const bob = api.addPerson({ name: 'Bob', phone: '15551230002' });
  await api.says(bob, `Good day, I come from ${url.searchParams.get('text')}`);
  expect(intake.messages.map(({ text }) => text)).toEqual(['Good day, I come from Hello!']);
  await api.says(bob, 'and more');
  expect(intake.messages.map(({ text }) => text)).toEqual(['Good day, I come from Hello!', 'and more']);
});

test('a token alone becomes a greeting, and a used one does nothing', async () => {
  const { api, intake } = await linked();
  intake.tokens.add(TOKEN);
  const bob = api.addPerson({ name: 'Bob', phone: '15551230002' });
  const eve = api.addPerson({ name: 'Eve', phone: '15551230003' });
  await api.says(bob, TOKEN);
  await api.says(eve, TOKEN);
  expect(intake.messages.map(({ text, remoteName }) => [text, remoteName])).toEqual([['Hello!', 'Bob']]);
});

test('a stranger is answered once', async () => {
  const { api, intake } = await linked();
  const eve = api.addPerson({ name: 'Eve', phone: '15551230003' });
  expect((await api.says(eve, 'hello?')).status).toBe(200);
  await api.says(eve, 'anybody?');
  await waitFor('the answer', () => eve.texts.length > 0);
  expect(eve.texts).toEqual([STRANGER_TEXT]);
  expect(intake.messages).toEqual([]);
});

test('a person who changes their number keeps their identity', async () => {
  const { api, intake, ada } = await linked();
  const before = { userId: ada.userId, phone: ada.phone };
  await api.changesNumber(ada, '15559990000');
  expect(intake.renames).toEqual([
    { before: before.userId, remoteId: ada.userId, alias: '15559990000' },
    { before: before.phone, remoteId: ada.userId, alias: '15559990000' },
  ]);
});

test('statuses are delivered once, with both ids of the message, in any order', async () => {
  const { api, connector, intake, ada } = await linked();
  await api.says(ada, 'hi');
  api.statusPlan = ['read', 'delivered', 'sent', 'delivered'];
  await connector.provides.messenger!.send(messageTo(ada.userId, 'answer'), soon());
  await api.settled();
  const { wamid } = ada.arrived[0]!;
  expect(intake.followedStatuses).toEqual([
    { platformMessageId: wamid, messageId: 'msg_answer', status: { kind: 'delivered' } },
  ]);
  await api.tells(ada, wamid, 'failed', API_ERRORS.undeliverable);
  expect(intake.followedStatuses).toHaveLength(1);
});

test('a status that arrives before its message is stored is retried', async () => {
  const { api, connector, intake, ada } = await linked();
  await api.says(ada, 'hi');
  intake.busyFor = 2;
  api.statusPlan = ['delivered'];
  await connector.provides.messenger!.send(messageTo(ada.userId, 'answer'), soon());
  await api.settled();
  expect(intake.followedStatuses).toHaveLength(1);
  expect(api.webhook.unanswered).toBe(0);
});

test('a status that is not accepted is not acknowledged', async () => {
  const { api, connector, intake, ada } = await linked();
  await api.says(ada, 'hi');
  intake.busyFor = 1_000;
  api.statusPlan = ['delivered'];
  await connector.provides.messenger!.send(messageTo(ada.userId, 'answer'), soon());
  await api.settled();
  expect(api.webhook.unanswered).toBe(1);
  intake.busyFor = 0;
  await api.webhook.redeliver();
  expect(intake.followedStatuses).toHaveLength(1);
});

test('a window that closed after sending is reported as such, other failures with their reason', async () => {
  const { api, connector, intake, ada } = await linked();
  api.windowRefusal = 'async';
  expect((await connector.provides.messenger!.send(messageTo(ada.userId, 'late'), soon())).kind).toBe('sent');
  await api.settled();
  expect(intake.followedStatuses[0]).toMatchObject({
    messageId: 'msg_late',
    status: { kind: 'window_closed' },
  });
  await api.says(ada, 'hi');
  api.statusPlan = [];
  await connector.provides.messenger!.send(messageTo(ada.userId, 'lost'), soon());
  await api.tells(ada, ada.arrived[0]!.wamid, 'failed', API_ERRORS.undeliverable);
  expect(intake.followedStatuses[1]!.status).toEqual({
    kind: 'failed',
    reason: 'Message Undeliverable. (131026)',
  });
});
