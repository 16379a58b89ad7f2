import { connect, type Socket } from 'node:net';
import { EventLog } from './event-log.ts';
import { waitFor, within } from './wait-for.ts';

/** One event of baresip's `ctrl_tcp` module, such as CALL_ESTABLISHED or REGISTER_OK. */
export interface BaresipEvent {
  readonly type: string;
  readonly class: string;
  readonly param?: string;
  readonly peeruri?: string;
}

interface BaresipReply {
  readonly token: string;
  readonly ok: boolean;
  readonly data: string;
}

/** baresip's control connection: commands that are answered, and a stream of events. */
export class BaresipControl {
  readonly events = new EventLog<BaresipEvent>();
  readonly #socket: Socket;
  readonly #reader = new NetstringReader();
  readonly #pending = new Map<string, (reply: BaresipReply) => void>();
  #commandCount = 0;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      for (const frame of this.#reader.push(bytes)) this.#receive(JSON.parse(frame));
    });
  }

  /** Tries until baresip listens. */
  static async open(port: number, deadlineMs: number): Promise<BaresipControl> {
    const socket = await waitFor('baresip to listen for commands', () => tryConnect(port), deadlineMs);
    return new BaresipControl(socket);
  }

  /** Resolves with what baresip prints; rejects when it does not know the command or says no. */
  async command(command: string, params = ''): Promise<string> {
    const token = `t${++this.#commandCount}`;
    const reply = new Promise<BaresipReply>((resolve) => this.#pending.set(token, resolve));
    this.#socket.write(encodeNetstring(JSON.stringify({ command, params, token })));
    const { ok, data } = await within(`baresip to answer ${command}`, reply);
    if (!ok) throw new Error(`baresip refused ${command} ${params}: ${data}`);
    return data;
  }

  close(): void {
    this.#socket.destroy();
  }

  #receive(frame: (BaresipEvent & { event: true }) | (BaresipReply & { response: true })): void {
    if ('event' in frame) {
      this.events.push(frame);
      return;
    }
    this.#pending.get(frame.token)?.(frame);
    this.#pending.delete(frame.token);
  }
}

/** Encodes a frame of baresip's control protocol: `<length>:<bytes>,`. */
function encodeNetstring(text: string): string {
  return `${Buffer.byteLength(text)}:${text},`;
}

/** Splits a byte stream into frames. */
class NetstringReader {
  #rest: Buffer = Buffer.alloc(0);

  push(bytes: Buffer): string[] {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    const frames: string[] = [];
    for (;;) {
      const colon = this.#rest.indexOf(':');
      if (colon < 0) return frames;
      const start = colon + 1;
      const end = start + Number(this.#rest.toString('latin1', 0, colon));
      if (this.#rest.length <= end) return frames;
      frames.push(this.#rest.toString('utf8', start, end));
      this.#rest = this.#rest.subarray(end + 1);
    }
  }
}

function tryConnect(port: number): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => {
      socket.removeAllListeners('error');
      resolve(socket);
    });
    socket.once('error', () => resolve(null));
  });
}
