import { readFileSync } from 'node:fs';
import { WebSocket } from 'ws';
import type { FakeVoice } from '../fakes/discord/voice/fake-voice.ts';
import { waitFor } from './wait-for.ts';

/** A message of the voice gateway; a binary one has no `d`. */
export interface RawMessage {
  readonly op: number;
  readonly seq?: number;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the server writes
  readonly d?: any;
}

/** A socket to the voice gateway that does only what a test tells it to. */
export class RawVoiceClient {
  readonly messages: RawMessage[] = [];
  /** Null while the socket is open. */
  closed: { readonly code: number; readonly reason: string } | null = null;
  readonly #socket: WebSocket;

  constructor(voice: FakeVoice, endpoint = voice.endpoint) {
    this.#socket = new WebSocket(`wss://${endpoint}?v=8`, { ca: readFileSync(voice.caFile) });
    this.#socket.on('message', (data, isBinary) => this.#received(data as Buffer, isBinary));
    this.#socket.on('close', (code, reason) => {
      this.closed = { code, reason: reason.toString() };
    });
    this.#socket.on('error', () => undefined);
  }

  send(op: number, d: unknown): void {
    this.sendText(JSON.stringify({ op, d }));
  }

  sendText(text: string): void {
    this.#socket.send(text);
  }

  sendBinary(bytes: Uint8Array): void {
    this.#socket.send(bytes);
  }

  cut(): void {
    this.#socket.terminate();
  }

  close(code: number): void {
    this.#socket.close(code);
  }

  /** The first message with this opcode. */
  next(op: number): Promise<RawMessage> {
    return waitFor(`opcode ${op}`, () => this.messages.find((message) => message.op === op));
  }

  async closing(): Promise<number> {
    return (await waitFor('the socket to close', () => this.closed)).code;
  }

  #received(data: Buffer, isBinary: boolean): void {
    if (isBinary) this.messages.push({ op: data.readUInt8(2), seq: data.readUInt16BE(0) });
    else this.messages.push(JSON.parse(data.toString()));
  }
}
