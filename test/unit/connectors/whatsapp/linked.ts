import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { directAddress } from '../../../../src/base/address.ts';
import { systemClock } from '../../../../src/base/time.ts';
import type { Connector } from '../../../../src/connectors/contract/connector.ts';
import type { OutboundFile, OutboundMessage } from '../../../../src/connectors/contract/messenger.ts';
import { whatsAppConnector } from '../../../../src/connectors/whatsapp/whatsapp-connector.ts';
import { type CloudApiOptions, FakeCloudApi } from '../../../fakes/whatsapp/cloud-api.ts';
import type { FakePerson } from '../../../fakes/whatsapp/person.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { bodyOfReply, WEBHOOK } from '../../../support/webhook.ts';
import { MemoryIntake } from './memory-intake.ts';

export interface Linked {
  readonly api: FakeCloudApi;
  readonly connector: Connector;
  readonly intake: MemoryIntake;
  readonly events: string[];
  /** A person who is a contact already. */
  readonly ada: FakePerson;
  readonly webhookUrl: string;
}

/** The connector between a fake platform and an intake in memory; its webhook is served on loopback. */
export async function linked(options: CloudApiOptions = {}): Promise<Linked> {
  const api = await FakeCloudApi.start(options);
  const intake = new MemoryIntake();
  const events: string[] = [];
  const connector = whatsAppConnector(
    {
      apiUrl: api.baseUrl,
      apiVersion: 'v25.0',
      mediaUrl: api.baseUrl,
      phoneNumberId: api.phoneNumberId,
      accessToken: api.accessToken,
      appSecret: api.appSecret,
      verifyToken: api.verifyToken,
      templateLanguage: 'en',
    },
    systemClock,
    { count: (event) => events.push(event), log: () => undefined },
  );
  connector.provides.messenger!.onMessages(intake);
  const webhookUrl = await serve(connector);
  onTestFinished(async () => {
    await connector.close(0);
    await api.stop();
  });
  await connector.start();
  await waitFor('the login', () => connector.provides.sharedLogin!.sharedLogin()?.status === 'ok');
  await api.webhook.subscribe(webhookUrl);
  const ada = api.addPerson({ name: 'Ada', phone: '15551230001' });
  intake.contacts.add(ada.userId);
  return { api, connector, intake, events, ada, webhookUrl };
}

async function serve(connector: Connector): Promise<string> {
  const server = createServer((request, response) => {
    void (async () => {
      const reply = await connector.provides.webhooks!.webhook({
        ...WEBHOOK,
        method: request.method === 'GET' ? 'get' : 'post',
        loginKey: request.url!.split('?')[0]!.slice(1),
        query: Object.fromEntries(new URL(request.url!, 'http://gateway').searchParams),
        header: (name) => `${request.headers[name] ?? ''}`,
        body: await bodyOf(request),
      });
      response.writeHead(reply.status).end(bodyOfReply(reply));
    })();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/shared`;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
  return Buffer.concat(parts);
}

/** A message to a person, with text and files. */
export function messageTo(
  remoteId: string,
  text: string,
  attachments: readonly OutboundFile[] = [],
): OutboundMessage {
  return { messageId: `msg_${text}`, to: directAddress({ kind: 'shared' }, remoteId), text, attachments };
}

/** A file in several pieces. */
export function file(name: string, mime: string, bytes: Uint8Array): OutboundFile {
  return {
    name,
    mime,
    sizeBytes: bytes.length,
    async *open() {
      const half = bytes.length >>> 1;
      yield bytes.subarray(0, half);
      yield bytes.subarray(half);
    },
  };
}

/** Long enough for every request of a test. */
export function soon(): AbortSignal {
  return AbortSignal.timeout(10_000);
}
