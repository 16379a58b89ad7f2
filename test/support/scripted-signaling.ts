import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

// biome-ignore lint/suspicious/noExplicitAny: a script reads the fields it needs
type Told = any;

const FEATURES = ['hello-v2', 'mcu', 'welcome', 'incall-all'];

/** A signaling server that a test plays: it answers as a real one does until it is told otherwise. */
export class ScriptedSignaling {
  /** What it was told, in order. */
  readonly told: Told[] = [];
  /** Answers to requests, by their type; null: none at all. Return undefined for the usual answer. */
  script: (told: Told) => object | null | undefined = () => undefined;
  features: readonly string[] | null = FEATURES;
  /** What it says to everybody who is in the room, before anything else. */
  inRoom: readonly object[] = [];
  readonly #http: Server;
  readonly #server: WebSocketServer;
  readonly #sockets = new Set<WebSocket>();
  #sessions = 0;

  private constructor(http: Server) {
    this.#http = http;
    this.#server = new WebSocketServer({ server: http, path: '/spreed' });
    this.#server.on('connection', (socket) => this.#connected(socket));
  }

  static async start(): Promise<ScriptedSignaling> {
    // A Nextcloud tells it what happens.
    const http = createServer((_request, response) => response.end('{}')).listen(0, '127.0.0.1');
    await once(http, 'listening');
    return new ScriptedSignaling(http);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  get connections(): number {
    return this.#sockets.size;
  }

  /** Messages of a type that it was told. */
  all(type: string): Told[] {
    return this.told.filter((told) => told.type === type);
  }

  /** Says something to everybody. */
  say(message: object | string): void {
    const text = typeof message === 'string' ? message : JSON.stringify(message);
    for (const socket of this.#sockets) socket.send(text);
  }

  /** Says something as a session does, or in its place. */
  sayFrom(sessionid: string, data: object): void {
    this.say({ type: 'message', message: { sender: { type: 'session', sessionid }, data } });
  }

  /** Breaks all connections. */
  cut(): void {
    for (const socket of this.#sockets) socket.terminate();
  }

  async stop(): Promise<void> {
    this.cut();
    this.#server.close();
    this.#http.closeAllConnections();
    this.#http.close();
    await once(this.#http, 'close');
  }

  #connected(socket: WebSocket): void {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('error', () => undefined);
    socket.on('message', (text: Buffer) => this.#take(socket, JSON.parse(text.toString('utf8'))));
    if (this.features) socket.send(JSON.stringify({ type: 'welcome', welcome: { features: this.features } }));
  }

  #take(socket: WebSocket, told: Told): void {
    this.told.push(told);
    const scripted = this.script(told);
    const answer = scripted === undefined ? this.#usual(told) : scripted;
    if (answer !== null) socket.send(JSON.stringify({ id: told.id, ...answer }));
    if (told.type === 'room') for (const message of this.inRoom) socket.send(JSON.stringify(message));
  }

  #usual({ type, hello, room }: Told): object | null {
    if (type === 'hello' && hello.resumeid)
      return { type, hello: { sessionid: `session-${this.#sessions}`, resumeid: hello.resumeid } };
    if (type === 'hello') {
      this.#sessions += 1;
      return {
        type,
        hello: { sessionid: `session-${this.#sessions}`, resumeid: `resume-${this.#sessions}` },
      };
    }
    return type === 'room' ? { type, room: { roomid: room.roomid } } : null;
  }
}

export function refusal(code: string): object {
  return { type: 'error', error: { code, message: `Because of ${code}` } };
}

/** What is said when a session has come to the room, or is there. */
export function joined(sessionid: string, displayname: string): object {
  return {
    type: 'event',
    event: {
      target: 'room',
      type: 'join',
      join: [{ sessionid, userid: displayname.toLowerCase(), user: { displayname } }],
    },
  };
}
