import { type RawData, WebSocket } from 'ws';
import type { BotSession } from './bot-session.ts';
import { IDENTIFY, type Identify, RESUME, type Resume, readData, readEnvelope } from './client-messages.ts';
import { CLOSE_CODES, type CloseCode, VoiceRefusal } from './close-codes.ts';
import { OP } from './opcodes.ts';
import type { SessionSocket } from './session-socket.ts';

export interface ClientSocketDeps {
  readonly heartbeatIntervalMs: number;
  /** Both throw a VoiceRefusal for those who may not. */
  identify(identify: Identify): BotSession;
  resume(resume: Resume): BotSession;
  offence(what: string): void;
}

/** Discord waits about one and a half intervals for a heartbeat. */
const PATIENCE = 1.5;
/** What these close codes of a client end cannot be resumed. */
const NORMAL_CLOSES = [1_000, 1_001];

/** One WebSocket of a client: greets, reads who it is, and hands everything else to the session. */
export class ClientSocket implements SessionSocket {
  readonly #socket: WebSocket;
  readonly #deps: ClientSocketDeps;
  #session: BotSession | null = null;
  #deadline: NodeJS.Timeout | null = null;

  constructor(socket: WebSocket, deps: ClientSocketDeps) {
    this.#socket = socket;
    this.#deps = deps;
    socket.on('message', (data, isBinary) => this.#receive(data, isBinary));
    socket.on('close', (code) => this.#closed(code));
    socket.on('error', () => undefined);
    this.send(JSON.stringify({ op: OP.hello, d: { v: 8, heartbeat_interval: deps.heartbeatIntervalMs } }));
    this.#awaitHeartbeat();
  }

  send(message: string | Buffer): void {
    this.#socket.send(message);
  }

  close(code: CloseCode): void {
    this.#socket.close(code, CLOSE_CODES[code]);
  }

  cut(): void {
    this.#socket.terminate();
  }

  release(code: CloseCode): void {
    this.#session = null;
    this.close(code);
  }

  refuse(error: unknown): void {
    const refusal = error instanceof VoiceRefusal ? error : new VoiceRefusal(4020, (error as Error).message);
    if (refusal.isOffence) this.#deps.offence(refusal.message);
    const { code } = refusal;
    this.#session?.end(code);
    this.close(code);
  }

  #receive(data: RawData, isBinary: boolean): void {
    // What comes behind a refusal is not read.
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    try {
      const bytes = Buffer.isBuffer(data)
        ? data
        : Buffer.concat(Array.isArray(data) ? data : [Buffer.from(data)]);
      if (!isBinary) this.#read(bytes.toString());
      else if (this.#session) this.#session.receivedBinary(bytes);
      else throw new VoiceRefusal(4003, 'a binary message first');
    } catch (error) {
      this.refuse(error);
    }
  }

  #read(text: string): void {
    const { op, d } = readEnvelope(text);
    if (op === OP.heartbeat) this.#awaitHeartbeat();
    if (this.#session) {
      this.#session.received(op, d);
    } else if (op === OP.identify) {
      const session = this.#deps.identify(readData(IDENTIFY, d));
      this.#session = session;
      session.start(this);
    } else if (op === OP.resume) {
      const resume = readData(RESUME, d);
      const session = this.#deps.resume(resume);
      session.resume(this, resume.seq_ack);
      this.#session = session;
    } else if (op !== OP.heartbeat) {
      throw new VoiceRefusal(4003, `opcode ${op} first`);
    }
  }

  #awaitHeartbeat(): void {
    if (this.#deadline) clearTimeout(this.#deadline);
    this.#deadline = setTimeout(
      () => this.refuse(new VoiceRefusal(4009, 'no heartbeat')),
      this.#deps.heartbeatIntervalMs * PATIENCE,
    );
  }

  #closed(code: number): void {
    if (this.#deadline) clearTimeout(this.#deadline);
    this.#session?.disconnected(this, NORMAL_CLOSES.includes(code));
  }
}
