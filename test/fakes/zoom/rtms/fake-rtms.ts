import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import { type FakeApp, FakeStream, type FakeStreamOptions } from './fake-stream.ts';

/** A request as Zoom sends it. */
export interface SignedEvent {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Zoom's Realtime Media Streams: signaling and media servers on loopback, and the events that announce streams. */
export class FakeRtms {
  readonly secretToken = randomBytes(16).toString('hex');
  readonly app: FakeApp;
  readonly streams: FakeStream[] = [];
  readonly #server: WebSocketServer;

  private constructor(app: FakeApp, server: WebSocketServer) {
    this.app = app;
    this.#server = server;
    server.on('connection', (socket, request) => {
      const [, part, id] = (request.url ?? '').split('/');
      const stream = this.streams.find((each) => each.id === id);
      if (stream === undefined) socket.close(1_008);
      else if (part === 'media') stream.media(socket);
      else stream.signaling(socket);
    });
  }

  static async start(app: FakeApp): Promise<FakeRtms> {
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    await once(server, 'listening');
    return new FakeRtms(app, server);
  }

  /** A stream that a user of the app starts; `startedEvent` announces it. */
  open(meetingUuid: string, userId: string, scopes?: FakeStreamOptions['scopes']): FakeStream {
    const stream = new FakeStream(
      { meetingUuid, userId },
      { app: this.app, mediaUrl: (id) => this.#url('media', id), ...(scopes && { scopes }) },
    );
    this.streams.push(stream);
    return stream;
  }

  #url(part: 'signaling' | 'media', id: string): string {
    return `ws://127.0.0.1:${(this.#server.address() as AddressInfo).port}/${part}/${id}`;
  }

  /** `server`: the name of the one that carries the stream. */
  startedEvent(stream: FakeStream, server = 'first'): SignedEvent {
    const server_urls = `${this.#url('signaling', stream.id)}/${server}`;
    return this.event('meeting.rtms_started', {
      ...namesOf(stream),
      operator_id: stream.userId,
      server_urls,
    });
  }

  interruptedEvent(stream: FakeStream): SignedEvent {
    return this.event('meeting.rtms_interrupted', namesOf(stream));
  }

  /** `reason`: RTMS_STOP_REASON; 6: the meeting is over. */
  stoppedEvent(stream: FakeStream, reason = 6): SignedEvent {
    return this.event('meeting.rtms_stopped', { ...namesOf(stream), stop_reason: reason });
  }

  event(name: string, payload: object): SignedEvent {
    return this.signed(JSON.stringify({ event: name, event_ts: Date.now(), payload }));
  }

  /** Signs a body, now or at another time in seconds. */
  signed(body: string, seconds = Math.floor(Date.now() / 1_000)): SignedEvent {
    const signature = createHmac('sha256', this.secretToken).update(`v0:${seconds}:${body}`).digest('hex');
    const headers = { 'x-zm-request-timestamp': `${seconds}`, 'x-zm-signature': `v0=${signature}` };
    return { body, headers };
  }

  async stop(): Promise<void> {
    for (const stream of this.streams) stream.close();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

function namesOf({ meetingUuid, id }: FakeStream): object {
  return { meeting_uuid: meetingUuid, rtms_stream_id: id };
}
