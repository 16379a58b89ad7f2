import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';

const PING_INTERVAL_MS = 5_000;
const MAX_CONNECTIONS = 10;
/** From the warning to the end of a connection. */
const REFRESH_MS = 500;

/** An event that is to be acknowledged. */
interface Delivery {
  readonly client: WebSocket;
  /** With Slack's word for what went wrong; null: nothing. */
  settle(word: string | null): void;
}

/** The connections of an app in Socket Mode (https://docs.slack.dev/apis/events-api/using-socket-mode). */
export class FakeSockets {
  readonly #appId: string;
  readonly #server = new WebSocketServer({ noServer: true });
  readonly #tickets = new Set<string>();
  readonly #open = new Set<WebSocket>();
  readonly #waiting = new Map<string, Delivery>();
  /** Messages of the app that no app may send. */
  readonly offences: string[] = [];
  /** Connections made so far. */
  count = 0;
  /** How long an app may take to acknowledge an event. */
  answerDeadlineMs = 3_000;
  /** Connections stay without hello. */
  isMute = false;

  constructor(appId: string) {
    this.#appId = appId;
  }

  get isOpen(): boolean {
    return this.#open.size > 0;
  }

  /** `apps.connections.open`: a URL that works once. */
  newUrl(root: string): string {
    const ticket = randomBytes(16).toString('hex');
    this.#tickets.add(ticket);
    return `${root.replace(/^http/, 'ws')}/link/?ticket=${ticket}&app_id=${this.#appId}`;
  }

  /** Returns whether the ticket is one of this app's. */
  upgrade(ticket: string, request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    if (!this.#tickets.delete(ticket)) return false;
    this.#server.handleUpgrade(request, socket, head, (client) => this.#welcome(client));
    return true;
  }

  /** Returns Slack's word for what went wrong; null: the app has acknowledged the event. */
  async deliver(payload: object, attempt: number, reason: string): Promise<string | null> {
    const client = [...this.#open].at(Math.floor(Math.random() * this.#open.size));
    if (!client) return 'connection_failed';
    const envelopeId = randomUUID();
    const retry = attempt === 0 ? {} : { retry_attempt: attempt, retry_reason: reason };
    const envelope = {
      envelope_id: envelopeId,
      payload,
      type: 'events_api',
      accepts_response_payload: false,
    };
    const { promise, resolve } = Promise.withResolvers<string | null>();
    this.#waiting.set(envelopeId, { client, settle: resolve });
    const late = setTimeout(() => resolve('http_timeout'), this.answerDeadlineMs);
    client.send(JSON.stringify({ ...envelope, ...retry }));
    return await promise.finally(() => {
      clearTimeout(late);
      this.#waiting.delete(envelopeId);
    });
  }

  /** Sends to every connection whatever a test wants. */
  say(text: string): void {
    for (const client of this.#open) client.send(text);
  }

  /** Wants new connections, and closes these soon. */
  refresh(reason: 'warning' | 'refresh_requested' = 'refresh_requested'): void {
    const debug_info = { host: 'applink-fake' };
    for (const client of this.#open) {
      client.send(JSON.stringify({ type: 'disconnect', reason, debug_info }));
      this.#open.delete(client);
      setTimeout(() => client.close(), REFRESH_MS).unref();
    }
  }

  /** Breaks every connection. */
  drop(): void {
    for (const client of this.#open) client.terminate();
  }

  close(): void {
    for (const client of [...this.#open, ...this.#server.clients]) client.terminate();
    this.#server.close();
  }

  #welcome(client: WebSocket): void {
    this.count += 1;
    if (this.isMute) return;
    if (this.#open.size >= MAX_CONNECTIONS) return client.close(1_000, 'too_many_websockets');
    this.#open.add(client);
    const pings = setInterval(() => client.ping(), PING_INTERVAL_MS);
    client.on('close', () => {
      clearInterval(pings);
      this.#open.delete(client);
      for (const delivery of this.#waiting.values())
        if (delivery.client === client) delivery.settle('connection_failed');
    });
    client.on('message', (data: Buffer) => this.#heard(data.toString('utf8')));
    client.send(
      JSON.stringify({
        type: 'hello',
        num_connections: this.#open.size,
        debug_info: { host: 'applink-fake', build_number: 1, approximate_connection_time: 18_060 },
        connection_info: { app_id: this.#appId },
      }),
    );
  }

  #heard(text: string): void {
    const message = JSON.parse(text) as { readonly envelope_id?: string; readonly payload?: object };
    const { envelope_id: envelopeId, payload = {}, ...more } = message;
    const acknowledged = this.#waiting.get(envelopeId ?? '');
    // Late acknowledgements are no offence: Slack repeats the event, and ignores them.
    const isEmpty = Object.keys({ ...payload, ...more }).length === 0;
    if (envelopeId === undefined || !isEmpty) this.offences.push(text);
    acknowledged?.settle(null);
  }
}
