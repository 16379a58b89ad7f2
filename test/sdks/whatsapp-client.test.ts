import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GraphApiError, WhatsAppClient } from '@kapso/whatsapp-cloud-api';
import { normalizeWebhook, verifySignature } from '@kapso/whatsapp-cloud-api/server';
import { expect, onTestFinished, test } from 'vitest';
import { FakeCloudApi } from '../fakes/whatsapp/cloud-api.ts';
import { API_ERRORS } from '../fakes/whatsapp/graph-errors.ts';

/** The fake is not tailored to our connector: an independent client works with it too. */
async function withClient() {
  const api = await FakeCloudApi.start();
  onTestFinished(() => api.stop());
  const client = new WhatsAppClient({
    accessToken: api.accessToken,
    baseUrl: api.baseUrl,
    graphVersion: 'v25.0',
  });
  const ada = api.addPerson({ name: 'Ada', phone: '15551230001' });
  return { api, client, ada, phoneNumberId: api.phoneNumberId };
}

test('an independent client sends texts, templates and media, and downloads them', async () => {
  const { api, client, ada, phoneNumberId } = await withClient();
  await api.says(ada, 'hi');
  const { messages } = await client.messages.sendText({ phoneNumberId, to: ada.phone, body: 'hello' });
  expect(messages[0]!.id).toBe(ada.arrived[0]!.wamid);
  await client.messages.sendTemplate({
    phoneNumberId,
    to: ada.phone,
    template: {
      name: 'agent_followup',
      language: { code: 'en' },
      components: [{ type: 'body', parameters: [{ type: 'text', text: 'preview' }] }],
    },
  });
  const bytes = randomBytes(5_000);
  const { id } = await client.media.upload({
    phoneNumberId,
    type: 'image/jpeg',
    file: new Blob([bytes], { type: 'image/jpeg' }),
    fileName: 'a.jpg',
  });
  await client.messages.sendImage({ phoneNumberId, recipient: ada.userId, image: { id, caption: 'see' } });
  expect(ada.texts).toEqual(['hello', 'see']);
  expect(ada.templates).toEqual(['preview']);
  const downloaded = (await client.media.download({
    mediaId: id,
    auth: 'always',
    headers: { 'user-agent': 'kapso' },
  })) as ArrayBuffer;
  expect(Buffer.from(downloaded)).toEqual(bytes);
});

test('an independent client understands the errors', async () => {
  const { api, client, ada, phoneNumberId } = await withClient();
  const closed = await client.messages
    .sendText({ phoneNumberId, to: ada.phone, body: 'late' })
    .catch((error: unknown) => error);
  expect(closed).toBeInstanceOf(GraphApiError);
  expect(closed).toMatchObject({ code: 131_047, httpStatus: 400, category: 'reengagementWindow' });
  await api.says(ada, 'hi');
  api.refuseNext(API_ERRORS.pairRate);
  const fast = await client.messages
    .sendText({ phoneNumberId, to: ada.phone, body: 'fast' })
    .catch((error: unknown) => error);
  expect(fast).toMatchObject({ code: 131_056, category: 'throttling' });
});

test('an independent client verifies and parses the webhooks', async () => {
  const { api, ada } = await withClient();
  const taken: { body: Buffer; signature: string }[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const challenge = new URL(request.url!, 'http://app').searchParams.get('hub.challenge');
      const parts: Buffer[] = [];
      for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
      if (challenge === null) {
        taken.push({ body: Buffer.concat(parts), signature: `${request.headers['x-hub-signature-256']}` });
      }
      response.end(challenge ?? 'ok');
    })();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await api.webhook.subscribe(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const { wamid } = await api.says(ada, 'Grüße 👋');
  const { body, signature } = taken[0]!;
  const isSigned = verifySignature({ appSecret: api.appSecret, rawBody: body, signatureHeader: signature });
  expect(isSigned).toBe(true);
  const { messages, phoneNumberId } = normalizeWebhook(JSON.parse(body.toString('utf8')));
  expect(phoneNumberId).toBe(api.phoneNumberId);
  expect(messages[0]).toMatchObject({ id: wamid, from: ada.phone, type: 'text', text: { body: 'Grüße 👋' } });
});
