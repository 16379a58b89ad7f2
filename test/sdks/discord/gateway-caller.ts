import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { FakeDiscord } from '../../fakes/discord/fake-discord.ts';
import type { AnyJson } from '../../support/any-json.ts';
import { waitFor, within } from '../../support/wait-for.ts';

/** A connection to the gateway that sends whatever it is told to. */
export class GatewayCaller {
  readonly received: AnyJson[] = [];
  readonly #socket: WebSocket;
  readonly #closed: Promise<number>;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    this.#closed = once(socket, 'close').then(([code]) => code);
    socket.on('message', (data) => this.received.push(JSON.parse(data.toString())));
  }

  static async open(
    discord: FakeDiscord,
    query = 'v=10&encoding=json',
    url = discord.gateway.url,
  ): Promise<GatewayCaller> {
    const socket = new WebSocket(`${url}/?${query}`);
    const caller = new GatewayCaller(socket);
    await within('the connection', once(socket, 'open'));
    return caller;
  }

  send(op: number, d: unknown): void {
    this.#socket.send(JSON.stringify({ op, d }));
  }

  sendText(text: string): void {
    this.#socket.send(text);
  }

  identify(token: string, intents = 1): void {
    this.send(2, { token, intents, properties: { os: 'linux', browser: 'test', device: 'test' } });
  }

  /** The next payload of this kind: an opcode, or the name of an event. */
  async next(kind: number | string): Promise<AnyJson> {
    const isKind = ({ op, t }: AnyJson): boolean => op === kind || t === kind;
    const found = await waitFor(`${kind}`, () => this.received.find(isKind));
    this.received.splice(this.received.indexOf(found), 1);
    return found;
  }

  /** Resolves with the code with which Discord closes the connection. */
  async closed(): Promise<number> {
    return await within('the end', this.#closed);
  }

  close(code: number): void {
    this.#socket.close(code);
  }
}
