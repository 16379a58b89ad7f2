import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MessageFaults, type NoAnswer } from './faults.ts';
import { API_ERRORS, type ApiError, badParameter, errorBody } from './graph-errors.ts';
import { MediaStore, type StoredMedia } from './media-store.ts';
import { ReadRequest, SendRequest } from './message-request.ts';
import { MessageRules } from './message-rules.ts';
import { FakePerson, type PersonOptions } from './person.ts';
import { WebhookSender } from './webhook-sender.ts';
import { newNumberValue, payloadOf, statusValue, timestampOf } from './webhook-values.ts';

const BODY_LIMIT_BYTES = 120 * 1_048_576;

export interface CloudApiOptions {
  /** The time on Meta's side, in milliseconds. */
  readonly nowMs?: () => number;
  /** Messages to one person that are taken at once, and how often one more is. */
  readonly burst?: number;
  readonly pairIntervalMs?: number;
  /** Port to listen on; 0: any free one. */
  readonly port?: number;
}

/** Everything that is reported of an accepted message: its statuses, in the order in which they are posted. */
export type StatusPlan = readonly ('sent' | 'delivered' | 'read')[];

interface Answer {
  readonly status: number;
  readonly body: object | StoredMedia;
}

/**
 * WhatsApp's Cloud API as the gateway sees it, and the people behind it: strict in what it takes, with windows, the rate
 * to one person, webhooks that are signed and come again, and faults on demand.
 */
export class FakeCloudApi {
  readonly phoneNumberId = '106540352242922';
  readonly displayNumber = '+1 555-078-3881';
  readonly accessToken = 'EAAtokenOfTheBusiness';
  readonly appSecret = 'secret-of-the-app-0123456789abcdef';
  readonly verifyToken = 'verify-token-of-the-operator';
  readonly media = new MediaStore();
  readonly webhook = new WebhookSender(this.appSecret, this.verifyToken);
  readonly people: FakePerson[] = [];
  /** Whether a message outside the window is refused at once, or by a status later on. */
  windowRefusal: 'sync' | 'async' = 'sync';
  statusPlan: StatusPlan = ['sent', 'delivered'];
  /** Whether the access token has been revoked. */
  isTokenRevoked = false;
  readonly #nowMs: () => number;
  readonly #rules: MessageRules;
  readonly #server: Server;
  readonly #faults = new MessageFaults();
  /** Webhooks about one thing come one after another. */
  #posting: Promise<unknown> = Promise.resolve();

  private constructor(server: Server, options: CloudApiOptions) {
    this.#server = server;
    this.#nowMs = options.nowMs ?? Date.now;
    const { burst = 45, pairIntervalMs = 6_000 } = options;
    this.#rules = new MessageRules(this.media, { nowMs: this.#nowMs, burst, pairIntervalMs });
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      this.#serve(request, response).catch(() => response.destroy());
    });
  }

  static async start(options: CloudApiOptions = {}): Promise<FakeCloudApi> {
    const server = createServer().listen(options.port ?? 0, '127.0.0.1');
    await once(server, 'listening');
    return new FakeCloudApi(server, options);
  }

  /** WhatsApp has paused all templates. */
  set areTemplatesPaused(arePaused: boolean) {
    this.#rules.areTemplatesPaused = arePaused;
  }

  /** Approved templates, as `name/language`. */
  get templates(): Set<string> {
    return this.#rules.templates;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The gateway's settings for this platform. */
  get settings(): Record<string, string> {
    return {
      SVC_WHATSAPP_PHONE_NUMBER_ID: this.phoneNumberId,
      SVC_WHATSAPP_ACCESS_TOKEN: this.accessToken,
      SVC_WHATSAPP_APP_SECRET: this.appSecret,
      SVC_WHATSAPP_VERIFY_TOKEN: this.verifyToken,
      SVC_WHATSAPP_API_URL: this.baseUrl,
      SVC_WHATSAPP_MEDIA_URL: this.baseUrl,
    };
  }

  /** Safe to call twice. */
  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
    await this.settled();
  }

  /** Resolves when every webhook that is due has been posted. */
  async settled(): Promise<void> {
    let last: unknown;
    while (last !== this.#posting) {
      last = this.#posting;
      await last;
    }
  }

  addPerson(options: PersonOptions): FakePerson {
    const person = new FakePerson(options);
    this.people.push(person);
    return person;
  }

  /** The next request for a message is answered with this error, or the one after so many. */
  refuseNext(error: ApiError, afterCount = 0): void {
    this.#faults.refuse(error, afterCount);
  }

  /** The next request for a message gets no answer: it was lost on its way, or the answer was. */
  cutNext(cut: 'before' | 'after'): void {
    void this.#faults.leave('cut', cut);
  }

  /** The next request for a message is never answered. Resolves when it is there, or was carried out. */
  holdNext(hold: 'before' | 'after'): Promise<void> {
    return this.#faults.leave('held', hold);
  }

  /** A person writes; `content` is the part of the message that its type names. Resolves with the app's status. */
  async writes(
    person: FakePerson,
    type: string,
    content: object,
  ): Promise<{ status: number; wamid: string }> {
    const wamid = newWamid();
    const status = await this.posts(person, [{ id: wamid, type, [type]: content }]);
    return { status, wamid };
  }

  async says(person: FakePerson, body: string): Promise<{ status: number; wamid: string }> {
    return await this.writes(person, 'text', { body });
  }

  /** Posts messages of one person in one payload, as written now. */
  async posts(person: FakePerson, messages: readonly object[]): Promise<number> {
    const timestamp = timestampOf(this.#nowMs());
    person.lastWroteMs = Number(timestamp) * 1000;
    const dated = messages.map((message) => ({ ...person.sender(), timestamp, ...message }));
    return await this.#post({ contacts: [person.contact()], messages: dated });
  }

  /** Gives a person a new number, and with it a new id. */
  async changesNumber(person: FakePerson, phone: string): Promise<number> {
    const before = { phone: person.phone, userId: person.userId };
    person.phone = phone;
    person.userId = `US.${phone}999`;
    return await this.#post(newNumberValue(person, before, newWamid(), this.#nowMs()));
  }

  /** Posts a status of a message that `person` got, whatever was posted before. */
  async tells(person: FakePerson, wamid: string, status: string, error?: ApiError): Promise<number> {
    const request = person.arrived.find((message) => message.wamid === wamid)?.request;
    return await this.#post(statusValue(person, { wamid, request }, { status, error }, this.#nowMs()));
  }

  async #post(value: object): Promise<number> {
    if (!this.webhook.isSubscribed) return 0;
    const payload = payloadOf(value, this.phoneNumberId);
    const posted = this.#posting.then(() => this.webhook.post(payload));
    this.#posting = posted.catch(() => undefined);
    return await posted;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = await this.#answer(request, await bodyOf(request));
    if (answer === 'held') return;
    if (answer === 'cut') {
      response.destroy();
      return;
    }
    const isMedia = 'bytes' in answer.body;
    response.writeHead(answer.status, {
      'content-type': isMedia ? (answer.body as StoredMedia).mime : 'application/json',
    });
    response.end(isMedia ? (answer.body as StoredMedia).bytes : JSON.stringify(answer.body));
  }

  async #answer(request: IncomingMessage, body: Buffer): Promise<Answer | NoAnswer> {
    const { method = '', url = '/', headers } = request;
    const isAuthorized = !this.isTokenRevoked && headers.authorization === `Bearer ${this.accessToken}`;
    if (url.startsWith('/whatsapp_business/'))
      return this.#serveMedia(url, isAuthorized && !!headers['user-agent']);
    if (!isAuthorized) return refused(API_ERRORS.badToken);
    const { pathname, searchParams } = new URL(url, this.baseUrl);
    const [, path] = /^\/v\d+\.\d+\/(.+)$/.exec(pathname) ?? [];
    if (path === undefined) return refused(API_ERRORS.unknownObject);
    if (path === `${this.phoneNumberId}/messages` && method === 'POST')
      return this.#faults.meet(() => this.#takeMessage(request, body), refused);
    if (path === `${this.phoneNumberId}/media` && method === 'POST')
      return await this.#takeMedia(request, body);
    if (path === this.phoneNumberId && method === 'GET')
      return this.#describeNumber(searchParams.get('fields'));
    return this.#describeMedia(path, method, searchParams.get('phone_number_id'));
  }

  #describeNumber(fields: string | null): Answer {
    const number: Record<string, string> = {
      display_phone_number: this.displayNumber,
      verified_name: 'A business',
      quality_rating: 'GREEN',
    };
    const wanted = fields?.split(',') ?? Object.keys(number);
    const unknown = wanted.find((field) => !(field in number));
    if (unknown !== undefined) return refused(badParameter(`Tried accessing nonexisting field (${unknown})`));
    const shown = Object.fromEntries(wanted.map((field) => [field, number[field]]));
    return { status: 200, body: { ...shown, id: this.phoneNumberId } };
  }

  #serveMedia(url: string, isAllowed: boolean): Answer {
    if (!isAllowed) return { status: 401, body: {} };
    const media = this.media.at(url, this.#nowMs());
    return media ? { status: 200, body: media } : { status: 404, body: {} };
  }

  async #takeMedia({ headers }: IncomingMessage, body: Buffer): Promise<Answer> {
    if (headers['content-length'] === undefined) return { status: 411, body: {} };
    const media = await this.media.upload(headers['content-type'] ?? '', body);
    return 'bytes' in media ? { status: 200, body: { id: media.id } } : refused(media);
  }

  #describeMedia(id: string, method: string, phoneNumberId: string | null): Answer {
    const media = this.media.find(id);
    if (!media || (phoneNumberId !== null && phoneNumberId !== this.phoneNumberId)) {
      return refused(API_ERRORS.unknownObject);
    }
    if (method === 'DELETE') this.media.evict(id);
    return method === 'DELETE'
      ? { status: 200, body: { success: true } }
      : { status: 200, body: this.media.describe(media, this.baseUrl, this.#nowMs()) };
  }

  #takeMessage({ headers }: IncomingMessage, body: Buffer): Answer {
    if (!headers['content-type']?.startsWith('application/json')) return refused(badParameter('not JSON'));
    const json = parseJson(body);
    if (ReadRequest.safeParse(json).success) return { status: 200, body: { success: true } };
    const parsed = SendRequest.safeParse(json);
    return parsed.success ? this.#send(parsed.data) : refused(badParameter(parsed.error.message));
  }

  #send(request: SendRequest): Answer {
    const wamid = newWamid();
    const error = this.#rules.mistakeIn(request);
    if (error) return refused(error);
    const person = this.people.find(({ phone, userId }) =>
      request.to === undefined ? userId === request.recipient : phone === request.to.replace('+', ''),
    );
    if (!person) return this.#accept(wamid, request);
    if (this.#rules.isTooFast(person)) return refused(API_ERRORS.pairRate);
    if (request.type !== 'template' && !this.#rules.isWindowOpen(person)) {
      if (this.windowRefusal === 'sync') return refused(API_ERRORS.windowClosed);
      const failure = { status: 'failed', error: API_ERRORS.windowClosed };
      void this.#post(statusValue(person, { wamid, request }, failure, this.#nowMs()));
      return this.#accept(wamid, request, person);
    }
    person.arrived.push({ wamid, request });
    // They may overtake the answer.
    for (const status of this.statusPlan) {
      void this.#post(statusValue(person, { wamid, request }, { status }, this.#nowMs()));
    }
    return this.#accept(wamid, request, person);
  }

  #accept(wamid: string, request: SendRequest, person?: FakePerson): Answer {
    const input = request.to ?? request.recipient;
    const contact = { input, ...(person ? { wa_id: person.phone, user_id: person.userId } : {}) };
    const message = { id: wamid, ...(request.type === 'template' ? { message_status: 'accepted' } : {}) };
    return { status: 200, body: { messaging_product: 'whatsapp', contacts: [contact], messages: [message] } };
  }
}

function refused(error: ApiError): Answer {
  return { status: error.httpStatus, body: errorBody(error) };
}

function newWamid(): string {
  return `wamid.HBgL${randomBytes(18).toString('base64url')}`;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  let sizeBytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    sizeBytes += part.length;
    if (sizeBytes > BODY_LIMIT_BYTES) throw new Error('too large');
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
