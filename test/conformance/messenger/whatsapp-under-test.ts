import { createHmac, randomBytes } from 'node:crypto';
import { systemClock } from '../../../src/base/time.ts';
import type { Connector } from '../../../src/connectors/contract/connector.ts';
import { whatsAppConnector } from '../../../src/connectors/whatsapp/whatsapp-connector.ts';
import { FakeCloudApi } from '../../fakes/whatsapp/cloud-api.ts';
import { API_ERRORS } from '../../fakes/whatsapp/graph-errors.ts';
import { mediaOf } from '../../fakes/whatsapp/message-request.ts';
import type { FakePerson } from '../../fakes/whatsapp/person.ts';
import { payloadOf, timestampOf } from '../../fakes/whatsapp/webhook-values.ts';
import { Gateway, type GatewayOptions } from '../../support/gateway.ts';
import { SEEN_ON } from '../../support/seen/platform-readers.ts';
import type { Seen } from '../../support/seen/seen.ts';
import { waitFor } from '../../support/wait-for.ts';
import {
  type Delivery,
  GATEWAY_ENV,
  type LoginUnderTest,
  type MessengerUnderTest,
  type PayloadsUnderTest,
  type PersonUnderTest,
  type PlatformFaults,
  type ReceivedMessage,
  type TestFile,
  type WebhookUnderTest,
  type WrittenMessage,
} from './messenger-under-test.ts';

import { WHATSAPP_KINDS } from './payloads/whatsapp-payloads.ts';

const SIGNATURE_HEADER = 'x-hub-signature-256';
const RETRY_MS = 20;
const TOO_FAST = { httpStatus: 429, code: 130_429, title: 'Rate limit hit' };

/** A connector to read declarations from. */
export function declaredWhatsApp(): Connector {
  return whatsAppConnector(
    {
      apiUrl: '',
      apiVersion: '',
      mediaUrl: '',
      phoneNumberId: '',
      accessToken: '',
      appSecret: '',
      verifyToken: '',
      templateLanguage: 'en',
    },
    systemClock,
    { count: () => undefined, log: () => undefined },
  );
}

/** WhatsApp, with one number that all accounts share. */
export class WhatsAppUnderTest implements MessengerUnderTest {
  readonly connector = declaredWhatsApp();
  patienceMs: number;
  readonly textLimit = 1_600;
  readonly canEdit = true;
  readonly canBlock = false;
  readonly gateway: Gateway;
  readonly webhook: WebhookUnderTest;
  readonly #api: FakeCloudApi;
  readonly #deliveries: Deliveries;

  private constructor(gateway: Gateway, api: FakeCloudApi, patienceMs: number) {
    this.gateway = gateway;
    this.#api = api;
    this.#deliveries = new Deliveries(api);
    this.patienceMs = patienceMs;
    this.login = new NumberLogin(api);
    this.webhook = new NumberWebhook(api, webhookUrl(gateway));
  }

  static async start(options: WhatsAppTestOptions): Promise<WhatsAppUnderTest> {
    const api = await FakeCloudApi.start();
    // A status would tell the gateway what became of a message whose answer is lost.
    api.statusPlan = [];
    const { env, ...others } = options.gateway ?? {};
    const gateway = await Gateway.start({ ...others, env: { ...GATEWAY_ENV, ...api.settings, ...env } });
    for (const secret of [api.accessToken, api.appSecret, api.verifyToken]) gateway.secrets.add(secret);
    await api.webhook.subscribe(webhookUrl(gateway));
    return new WhatsAppUnderTest(gateway, api, options.patienceMs);
  }

  /** Follows a fresh invite link. */
  async person(): Promise<PersonUnderTest> {
    const number = this.#api.people.length + 1;
    const phone = `1555123${`${number}`.padStart(4, '0')}`;
    const person = new WhatsAppPerson(
      this.#api,
      this.#deliveries,
      this.#api.addPerson({ name: `Person ${number}`, phone }),
    );
    const link = await waitFor('the invite link', async () => {
      const { body } = await this.gateway.settingsApi.post('/api/invite-link');
      return body.whatsapp_url as string | null;
    });
    const joined = person.writes(new URL(link).searchParams.get('text')!);
    await waitFor('the person to be connected', () => joined.isAcknowledged());
    return person;
  }

  readonly faults: PlatformFaults = {
    refuse: () => {
      this.#api.refuseNext(API_ERRORS.undeliverable);
      return 'Message Undeliverable. (131026)';
    },
    throttle: () => {
      this.#api.refuseNext(TOO_FAST);
      return 1_000;
    },
    loseAnswer: () => this.#api.cutNext('after'),
    hold: (isDone) => this.#api.holdNext(isDone ? 'after' : 'before'),
  };

  readonly login: LoginUnderTest;

  readonly payloads: PayloadsUnderTest = {
    kinds: WHATSAPP_KINDS,
    deliver: ({ remoteId }, payload) => {
      const person = this.#api.people.find(({ userId }) => userId === remoteId)!;
      const id = `wamid.${randomBytes(12).toString('base64url')}`;
      void this.#deliveries.deliver(person, { id, ...payload });
    },
    overtakes: {
      tellsDeletions: true,
      deliver: ({ remoteId }, text, change) => {
        const person = this.#api.people.find(({ userId }) => userId === remoteId)!;
        const id = `wamid.${randomBytes(12).toString('base64url')}`;
        const tell = (message: object) => void this.#deliveries.deliver(person, message);
        tell(changeOf(id, change));
        tell({ id, type: 'text', text: { body: text } });
        return () => tell({ id, type: 'text', text: { body: text } });
      },
    },
  };

  async stop(): Promise<void> {
    await this.gateway.stop();
    await this.#api.stop();
  }
}

/** What Meta tells of a message that a person edits, or takes back (null). */
function changeOf(original_message_id: string, text: string | null): object {
  const id = `wamid.${randomBytes(12).toString('base64url')}`;
  if (text === null) return { id, type: 'revoke', revoke: { original_message_id } };
  const message = { context: { id: original_message_id }, type: 'text', text: { body: text } };
  return { id, type: 'edit', edit: { original_message_id, message } };
}

export interface WhatsAppTestOptions {
  readonly patienceMs: number;
  readonly gateway?: GatewayOptions;
}

function webhookUrl({ baseUrl }: Gateway): string {
  return `${baseUrl}/api/whatsapp/webhook/shared`;
}

class NumberLogin implements LoginUnderTest {
  readonly recheckMs = 5_000;
  readonly #api: FakeCloudApi;

  constructor(api: FakeCloudApi) {
    this.#api = api;
  }

  get isDead(): boolean {
    return this.#api.isTokenRevoked;
  }

  kill(): string {
    this.#api.isTokenRevoked = true;
    return '(#190) Invalid OAuth access token - Cannot parse access token';
  }

  revive(): void {
    this.#api.isTokenRevoked = false;
  }
}

/** What people write is delivered one after the other, each until it is acknowledged. */
class Deliveries {
  readonly #api: FakeCloudApi;
  #last: Promise<void> = Promise.resolve();

  constructor(api: FakeCloudApi) {
    this.#api = api;
  }

  /** Resolves when it is acknowledged. */
  deliver(person: FakePerson, message: object): Promise<void> {
    this.#last = this.#last.then(async () => {
      await this.#api.posts(person, [message]);
      while (this.#api.webhook.unanswered > 0) {
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
        await this.#api.webhook.redeliver();
      }
    });
    return this.#last;
  }
}

class WhatsAppPerson implements PersonUnderTest {
  readonly name: string;
  readonly #api: FakeCloudApi;
  readonly #deliveries: Deliveries;
  readonly #person: FakePerson;
  readonly #written = new Map<WrittenMessage, object>();

  constructor(api: FakeCloudApi, deliveries: Deliveries, person: FakePerson) {
    this.#api = api;
    this.#deliveries = deliveries;
    this.#person = person;
    this.name = person.name;
  }

  get remoteId(): string {
    return this.#person.userId;
  }

  writes(text: string): WrittenMessage {
    return this.#write({ type: 'text', text: { body: text } });
  }

  sendsFile({ name, mime, bytes }: TestFile, caption: string): WrittenMessage {
    const { id } = this.#api.media.add(mime, name, bytes);
    return this.#write({
      type: 'document',
      document: { id, mime_type: mime, sha256: '', filename: name, caption },
    });
  }

  repeats(message: WrittenMessage): void {
    void this.#deliveries.deliver(this.#person, this.#written.get(message)!);
  }

  edits({ platformMessageId }: WrittenMessage, text: string): void {
    void this.#deliveries.deliver(this.#person, changeOf(platformMessageId, text));
  }

  received(): readonly ReceivedMessage[] {
    return this.#person.arrived.flatMap(({ wamid, request }) => {
      if (request.type === 'template' || request.type === 'reaction') return [];
      const media = mediaOf(request);
      const words = request.type === 'interactive' ? request.interactive.body.text : (media?.caption ?? '');
      const text = request.type === 'text' ? request.text.body : words;
      const file = media === undefined ? null : this.#api.media.find(media.id)!.bytes;
      return [{ platformMessageId: wamid, text, file, quotes: request.context?.message_id ?? null }];
    });
  }

  sees(id: string): Seen {
    return SEEN_ON.whatsApp(this.received().find(({ platformMessageId }) => platformMessageId === id)!.text);
  }

  answers(id: string, text: string): WrittenMessage {
    return this.#write({ type: 'text', text: { body: text }, context: { from: 'business', id } });
  }

  presses(id: string, label: string): void {
    const { request } = this.#person.arrived.find(({ wamid }) => wamid === id)!;
    if (request.type !== 'interactive') throw new Error('there are no buttons');
    const { interactive } = request;
    const choices =
      interactive.type === 'button'
        ? interactive.action.buttons.map(({ reply }) => reply)
        : interactive.action.sections.flatMap(({ rows }) => rows);
    const reply = choices.find(({ title }) => title === label);
    if (!reply) throw new Error(`there is no button ${label}`);
    const type = interactive.type === 'button' ? 'button_reply' : 'list_reply';
    this.#write({ type: 'interactive', interactive: { type, [type]: reply }, context: { id } });
  }

  reacts(message_id: string, isAdded: boolean): void {
    this.#write({ type: 'reaction', reaction: { message_id, ...(isAdded && { emoji: '👍' }) } });
  }

  reactionsTo(id: string): readonly string[] {
    let shown = '';
    for (const { request } of this.#person.arrived)
      if (request.type === 'reaction' && request.reaction.message_id === id) shown = request.reaction.emoji;
    return shown === '' ? [] : [shown];
  }

  closesWindow(): void {
    this.#person.lastWroteMs = null;
  }

  askedToReply(): readonly string[] {
    return this.#person.templates;
  }

  #write(content: object): WrittenMessage {
    const platformMessageId = `wamid.${randomBytes(12).toString('base64url')}`;
    let isAcknowledged = false;
    const written = { platformMessageId, isAcknowledged: () => isAcknowledged };
    const message = { id: platformMessageId, ...content };
    this.#written.set(written, message);
    void this.#deliveries.deliver(this.#person, message).then(() => {
      isAcknowledged = true;
    });
    return written;
  }
}

/** Meta signs the bytes of the body. */
class NumberWebhook implements WebhookUnderTest {
  readonly url: string;
  readonly #api: FakeCloudApi;

  constructor(api: FakeCloudApi, url: string) {
    this.#api = api;
    this.url = url;
  }

  delivery({ remoteId }: PersonUnderTest, text: string): Delivery {
    const person = this.#api.people.find(({ userId }) => userId === remoteId)!;
    const id = `wamid.${randomBytes(12).toString('base64url')}`;
    const message = {
      ...person.sender(),
      id,
      timestamp: timestampOf(Date.now()),
      type: 'text',
      text: { body: text },
    };
    const value = { contacts: [person.contact()], messages: [message] };
    return this.signed(JSON.stringify(payloadOf(value, this.#api.phoneNumberId)));
  }

  signed(body: string): Delivery {
    return { body, headers: { [SIGNATURE_HEADER]: this.#api.webhook.signatureOf(body) } };
  }

  forged({ body }: Delivery): Delivery {
    const hex = createHmac('sha256', 'the secret of somebody else').update(body).digest('hex');
    return { body, headers: { [SIGNATURE_HEADER]: `sha256=${hex}` } };
  }
}
