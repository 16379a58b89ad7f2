import { createHmac, randomBytes } from 'node:crypto';
import type { WebSocket } from 'ws';
import * as z from 'zod';

/** An app in Zoom's marketplace. */
export interface FakeApp {
  readonly clientId: string;
  readonly clientSecret: string;
}

const Signed = { meeting_uuid: z.string(), rtms_stream_id: z.string(), signature: z.string() };
const Protocol = { protocol_version: z.literal(1), sequence: z.number().int() };
const TEXT = z.strictObject({ content_type: z.literal(5) });

const SignalingHello = z.strictObject({
  msg_type: z.literal(1),
  ...Protocol,
  ...Signed,
  buffer_data: z.boolean().optional(),
});
const MediaHello = z.strictObject({
  msg_type: z.literal(3),
  ...Protocol,
  ...Signed,
  media_type: z.union([z.literal(8), z.literal(16)]),
  payload_encryption: z.boolean().optional(),
  media_params: z.strictObject({ transcript: TEXT, chat: TEXT }).partial().optional(),
});
const Subscription = z.strictObject({
  msg_type: z.literal(5),
  // FIRST_PACKET_TIMESTAMP and MEDIA_CONNECTION_INTERRUPTED come by themselves.
  events: z
    .array(
      z.strictObject({
        event_type: z.union([2, 3, 4, 5, 6].map((n) => z.literal(n))),
        subscribe: z.boolean(),
      }),
    )
    .min(1),
});
const Ready = z.strictObject({ msg_type: z.literal(7), rtms_stream_id: z.string() });
const KeptAlive = z.strictObject({ msg_type: z.literal(13), timestamp: z.number() });
const FromSignaling = z.union([Subscription, Ready, KeptAlive]);

const KINDS = { 8: 'transcript', 16: 'chat' } as const;
/** RTMS_STATUS_CODE. */
const INVALID_SIGNATURE = 3;
const INVALID_PAYLOAD = 4;
const DUPLICATE_SIGNAL = 8;
const DUPLICATE_MEDIA = 16;

/** Messages before an interruption that are sent again. */
const SENT_AGAIN = 8;

type Part = 'signaling' | 'transcript' | 'chat';

/** One stream of a meeting: what the servers of Realtime Media Streams know of it. */
export class FakeStream {
  readonly id = randomBytes(16).toString('hex');
  readonly meetingUuid: string;
  readonly userId: string;
  /** What the app did wrong. */
  readonly violations: string[] = [];
  /** Handshakes that were accepted. */
  accepted = 0;
  /** Keep-alives that were answered. */
  keptAlive = 0;
  /** Media that this app has scopes for. */
  readonly scopes: readonly ('transcript' | 'chat')[];
  /** Its next handshakes are refused with these. */
  readonly refusals: number[] = [];
  readonly #app: FakeApp;
  readonly #mediaUrl: string;
  readonly #sockets = new Map<Part, WebSocket>();
  readonly #ready = new Set<Part>();
  readonly #people = new Map<number, string>();
  readonly #subscribed = new Set<number>();
  /** What has not been sent yet, and what was sent last: it may be lost on its way, so after an interruption it is sent again. */
  readonly #backlog = { transcript: [] as object[], chat: [] as object[] };
  #messages = 0;

  constructor(place: { meetingUuid: string; userId: string }, options: FakeStreamOptions) {
    this.meetingUuid = place.meetingUuid;
    this.userId = place.userId;
    this.#app = options.app;
    this.#mediaUrl = options.mediaUrl(this.id);
    this.scopes = options.scopes ?? ['transcript', 'chat'];
  }

  /** Whether the app is connected to all it has scopes for. */
  get isUp(): boolean {
    return this.#sockets.has('signaling') && this.scopes.every((kind) => this.#ready.has(kind));
  }

  /** Takes a connection to the signaling server. */
  signaling(socket: WebSocket): void {
    this.#greet(socket, SignalingHello, (_hello) => {
      if (this.#sockets.has('signaling')) return DUPLICATE_SIGNAL;
      this.#sockets.set('signaling', socket);
      socket.once('close', () => this.#signalingClosed(socket));
      socket.on('message', (data: Buffer) => this.#fromSignaling(JSON.parse(data.toString())));
      const urls = Object.fromEntries(this.scopes.map((kind) => [kind, this.#mediaUrl]));
      return { msg_type: 2, media_server: { server_urls: { ...urls, all: this.#mediaUrl } } };
    });
  }

  /** Takes a connection to the media server, with its first message. */
  media(socket: WebSocket): void {
    this.#greet(socket, MediaHello, ({ media_type }) => {
      const kind = KINDS[media_type];
      if (!this.scopes.includes(kind)) return kind === 'chat' ? 13 : 12;
      if (this.#sockets.has(kind)) return DUPLICATE_MEDIA;
      this.#sockets.set(kind, socket);
      socket.once('close', () => {
        if (this.#sockets.get(kind) === socket) this.#sockets.delete(kind);
        this.#ready.delete(kind);
      });
      socket.on('message', (data: Buffer) => this.#answersKeepAlive(JSON.parse(data.toString())));
      return { msg_type: 4, media_params: { [kind]: { content_type: 5 } } };
    });
  }

  join(...people: readonly (readonly [id: number, name: string])[]): void {
    for (const [id, name] of people) this.#people.set(id, name);
    this.#event(3, { participants: people.map(([user_id, user_name]) => ({ user_id, user_name })) });
  }

  leave(id: number): void {
    this.#people.delete(id);
    this.#event(4, { participants: [{ user_id: id }] });
  }

  /** `id` 0: nobody. */
  speak(id: number): void {
    this.#event(2, { user_id: id, user_name: this.#people.get(id) ?? '' });
  }

  say(id: number, data: string): void {
    const [user_name, timestamp] = [this.#people.get(id), Date.now()];
    const times = { start_time: timestamp - 800, end_time: timestamp, timestamp, language: 9 };
    this.#send('transcript', { msg_type: 17, content: { user_id: id, user_name, ...times, data } });
  }

  /** `to`: CHAT_SESSION_TYPE, 1 for everyone. `operation`: 1 new, 2 deleted, 3 changed. */
  write(id: number, data: string, { to = 1, operation = 1, files = [] as string[] } = {}): void {
    this.#messages += 1;
    const content = {
      data,
      timestamp: Date.now(),
      message_id: `${this.id}-${this.#messages}`,
      operation_type: operation,
      chat_session: { type: to },
      sender: { user_id: id, user_name: this.#people.get(id) },
      ...(files.length > 0 && {
        files: files.map((file_name, at) => ({ file_id: `${at}`, file_name, file_size: 9 })),
      }),
    };
    this.#send('chat', { msg_type: 18, content });
  }

  /** Asks the app whether it is still there. */
  ping(): void {
    for (const socket of this.#sockets.values())
      socket.send(JSON.stringify({ msg_type: 12, timestamp: Date.now() }));
  }

  /** Sends anything. */
  raw(part: Part, text: string): void {
    this.#sockets.get(part)?.send(text);
  }

  /** Cuts a connection, as a network does. */
  cut(part: Part): void {
    this.#sockets.get(part)?.terminate();
  }

  /** Tells that a media connection was lost. */
  tellInterruption(kind: 'transcript' | 'chat'): void {
    this.#event(7, { media_type: kind === 'chat' ? 16 : 8 });
  }

  close(): void {
    for (const socket of this.#sockets.values()) socket.terminate();
  }

  #greet<Hello extends z.ZodType<z.infer<typeof SignalingHello> | z.infer<typeof MediaHello>>>(
    socket: WebSocket,
    schema: Hello,
    accept: (hello: z.output<Hello>) => number | object,
  ): void {
    socket.once('message', (data: Buffer) => {
      const { data: hello, error } = schema.safeParse(JSON.parse(data.toString()));
      const type = schema === (SignalingHello as unknown) ? 2 : 4;
      const answer = hello
        ? (this.refusals.shift() ?? (this.#isSigned(hello) ? accept(hello) : INVALID_SIGNATURE))
        : INVALID_PAYLOAD;
      if (error) this.violations.push(z.prettifyError(error));
      if (answer === INVALID_SIGNATURE) this.violations.push('invalid signature');
      const isRefused = typeof answer === 'number';
      const status = { status_code: isRefused ? answer : 0, reason: isRefused ? `refused (${answer})` : '' };
      socket.send(
        JSON.stringify({
          msg_type: type,
          protocol_version: 1,
          sequence: 0,
          ...status,
          ...(isRefused ? {} : answer),
        }),
      );
      if (isRefused) socket.close();
      else this.accepted += 1;
    });
  }

  #isSigned(hello: { meeting_uuid: string; rtms_stream_id: string; signature: string }): boolean {
    const { clientId, clientSecret } = this.#app;
    const text = `${clientId},${this.meetingUuid},${this.id}`;
    const signature = createHmac('sha256', clientSecret).update(text).digest('hex');
    return (
      hello.signature === signature &&
      hello.rtms_stream_id === this.id &&
      hello.meeting_uuid === this.meetingUuid
    );
  }

  #fromSignaling(message: unknown): void {
    const { data, error } = FromSignaling.safeParse(message);
    if (data === undefined) this.violations.push(z.prettifyError(error!));
    else if (data.msg_type === 5) this.#subscribe(data.events);
    else if (data.msg_type === 13) this.keptAlive += 1;
    else this.#becomeReady();
  }

  #subscribe(events: z.output<typeof Subscription>['events']): void {
    for (const { event_type, subscribe } of events)
      if (subscribe) this.#subscribed.add(event_type);
      else this.#subscribed.delete(event_type);
    if (this.#people.size > 0) this.join(...this.#people);
  }

  /** What was missed is sent, and some of what came before. */
  #becomeReady(): void {
    for (const kind of this.scopes) {
      if (!this.#sockets.has(kind) || this.#ready.has(kind)) continue;
      this.#ready.add(kind);
      for (const message of this.#backlog[kind].splice(0)) this.#send(kind, message);
    }
  }

  #signalingClosed(socket: WebSocket): void {
    if (this.#sockets.get('signaling') !== socket) return;
    this.#sockets.delete('signaling');
    this.#subscribed.clear();
    for (const kind of this.scopes) this.#sockets.get(kind)?.terminate();
  }

  #answersKeepAlive(message: unknown): void {
    if (KeptAlive.safeParse(message).success) this.keptAlive += 1;
    else this.violations.push('something other than a keep-alive to the media server');
  }

  #event(event_type: number, fields: object): void {
    const isSent = event_type === 7 || this.#subscribed.has(event_type);
    const event = { event_type, timestamp: Date.now(), ...fields };
    if (isSent) this.#sockets.get('signaling')?.send(JSON.stringify({ msg_type: 6, event }));
  }

  #send(kind: 'transcript' | 'chat', message: object): void {
    const backlog = this.#backlog[kind];
    backlog.push(message);
    if (!this.#ready.has(kind)) return;
    this.#sockets.get(kind)?.send(JSON.stringify(message), (error) => {
      const sent = backlog.indexOf(message) + 1;
      if (!error) backlog.splice(0, Math.max(0, sent - SENT_AGAIN));
    });
  }
}

export interface FakeStreamOptions {
  readonly app: FakeApp;
  /** Where the media server of a stream is. */
  readonly mediaUrl: (streamId: string) => string;
  readonly scopes?: readonly ('transcript' | 'chat')[];
}
