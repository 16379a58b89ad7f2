import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import * as z from 'zod';
import { type Clock, systemClock } from '../../../src/base/time.ts';
import { EventLog } from '../../support/event-log.ts';

const MAX_AGE_S = 300;
const BLOCKED = 'The person has blocked the bot';

/** Longest text that the bridge's platform takes, in characters. */
export const TEXT_LIMIT = 4_000;

const place = {
  version: z.literal(1),
  platform: z.string(),
  login: z.string(),
  space: z.strictObject({ kind: z.enum(['direct', 'channel']), id: z.string() }),
  thread: z.string().nullable(),
  person: z.string().nullable(),
};
const call = { version: z.literal(1), platform: z.string(), call_ref: z.string() };

/** What a gateway may post, strictly. */
const Posted = z.discriminatedUnion('type', [
  z.strictObject({ ...place, type: z.literal('message'), message_id: z.string(), text: z.string() }),
  z.strictObject({ ...place, type: z.literal('typing') }),
  z.strictObject({
    ...place,
    type: z.literal('reaction'),
    message_id: z.string(),
    emoji: z.string(),
    action: z.enum(['added', 'removed']),
  }),
  z.strictObject({ ...call, type: z.literal('call_accept') }),
  z.strictObject({ ...call, type: z.literal('call_refuse') }),
  z.strictObject({ ...call, type: z.literal('call_leave') }),
]);
export type Posted = z.output<typeof Posted>;

/** How the next post is answered, in place of the right answer. */
export interface Fault {
  readonly status: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Carries the post out and then cuts the connection. */
  readonly cuts?: true;
  /** Never answers. Told when the post is there, after it was carried out if `isDone`. */
  readonly hangs?: { readonly isDone: boolean; readonly reached: () => void };
}

/**
 * A platform bridge as an operator would write it: it checks signatures, drops messages that it knows, and posts events
 * to the gateway with its key.
 */
export class FakeBridge {
  readonly key = 'bridge-key-of-the-tests-0123456789abcdef';
  /** What it was told and has carried out, typing indicators included. */
  readonly told = new EventLog<Posted>();
  /** Posts that it refused, with the reason. */
  readonly refused: string[] = [];
  /** Posts of messages, repetitions included. */
  posts = 0;
  readonly faults: Fault[] = [];
  /** Ids of people who have blocked the bot. */
  readonly blocked = new Set<string>();
  /** The bridge has another key now. */
  refusesKey = false;
  readonly #server: Server;
  readonly #known = new Map<string, string>();
  readonly #files = new Map<string, Buffer>();
  #sent = 0;

  readonly #clock: Clock;

  private constructor(server: Server, clock: Clock) {
    this.#server = server;
    this.#clock = clock;
    server.on('request', (request, response) => {
      if (request.method === 'GET') response.end(this.#files.get(request.url ?? ''));
      else void this.#take(request, response);
    });
  }

  static async start(clock: Clock = systemClock): Promise<FakeBridge> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new FakeBridge(server, clock);
  }

  get url(): string {
    return `${this.#origin}/from-gateway`;
  }

  /** Returns the URL of a person's file. */
  share(bytes: Buffer): string {
    const path = `/files/${this.#files.size}`;
    this.#files.set(path, bytes);
    return `${this.#origin}${path}`;
  }

  /** The bridge's id of a message that it has shown. */
  idOf(messageId: string): string | undefined {
    return this.#known.get(messageId);
  }

  get #origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Texts of the messages that people got, in order. */
  get texts(): string[] {
    return this.told.all.flatMap((each) => (each.type === 'message' ? [each.text] : []));
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    if (this.refusesKey) return void response.writeHead(401).end();
    const problem = this.#problemOf(request, body);
    if (problem !== null) {
      this.refused.push(problem);
      response.writeHead(401).end(problem);
      return;
    }
    const parsed = Posted.safeParse(JSON.parse(body.toString('utf8')));
    if (!parsed.success) {
      this.refused.push(parsed.error.message);
      response.writeHead(422).end(parsed.error.message);
      return;
    }
    if (parsed.data.type === 'message') this.posts += 1;
    const fault = parsed.data.type === 'typing' ? undefined : this.faults.shift();
    if (fault?.hangs) {
      if (fault.hangs.isDone) this.#carryOut(parsed.data);
      return fault.hangs.reached();
    }
    if (fault !== undefined && !fault.cuts) {
      response.writeHead(fault.status, fault.headers).end(fault.body ?? '');
      return;
    }
    const answer = JSON.stringify(this.#carryOut(parsed.data));
    if (fault?.cuts) response.destroy();
    else response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
  }

  #problemOf({ headers, method, url }: IncomingMessage, body: Uint8Array): string | null {
    if (method !== 'POST' || url !== '/from-gateway') return `${method} ${url}`;
    const timestamp = `${headers['x-svc-timestamp']}`;
    if (!(Math.abs(Date.parse(this.#clock.nowIso()) / 1_000 - Number(timestamp)) < MAX_AGE_S))
      return `time ${timestamp}`;
    const right = createHmac('sha256', this.key).update(`${timestamp}.`).update(body).digest();
    const shown = Buffer.from(`${headers['x-svc-signature']}`, 'hex');
    return shown.length === right.length && timingSafeEqual(shown, right) ? null : 'signature';
  }

  #carryOut(posted: Posted): object {
    if (posted.type === 'reaction') {
      this.told.push(posted);
      return { status: 'sent' };
    }
    if (posted.type !== 'message') {
      this.told.push(posted);
      return { status: 'ok' };
    }
    if (this.blocked.has(posted.space.id)) return { status: 'refused', reason: BLOCKED, is_gone: true };
    if (posted.text.length > TEXT_LIMIT) return { status: 'refused', reason: 'The text is too long' };
    const known = this.#known.get(posted.message_id);
    const id = known ?? `sent-${++this.#sent}`;
    if (known === undefined) {
      this.#known.set(posted.message_id, id);
      this.told.push(posted);
    }
    return { status: 'sent', platform_message_ids: [id] };
  }

  /** The bridge has shown this message, as the answer of a request. */
  shown(messageId: string): void {
    this.#known.set(messageId, `sent-${++this.#sent}`);
  }
}
