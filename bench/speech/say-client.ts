import { connect, type Socket } from 'node:net';
import { within } from '../../test/support/wait-for.ts';

const ANSWER = /HTTP\/1\.1 (\d+)/g;

/** Speaks on calls over one warm connection, with as little work of its own as possible. */
export class SayClient {
  readonly #socket: Socket;
  readonly #apiKey: string;
  #waiting = 0;
  #refused: string | null = null;
  #answered: () => void = () => {};

  private constructor(socket: Socket, apiKey: string) {
    this.#socket = socket;
    this.#apiKey = apiKey;
    socket.setNoDelay();
    socket.on('error', ({ message }) => {
      this.#refused = message;
    });
    socket.on('data', (bytes) => this.#take(bytes.toString('latin1')));
  }

  static async connect(port: number, apiKey: string): Promise<SayClient> {
    const socket = connect(port, '127.0.0.1');
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    return new SayClient(socket, apiKey);
  }

  say(callId: string, text: string): void {
    const body = JSON.stringify({ text });
    this.#waiting++;
    this.#socket.write(
      `POST /api/call/${callId}/say HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Api-Key: ${this.#apiKey}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
  }

  /** Resolves when every text has been taken. Rejects if one was refused. */
  async settled(): Promise<void> {
    const answered = new Promise<void>((resolve) => {
      this.#answered = resolve;
    });
    if (this.#waiting > 0) await within('the answers of say', answered);
    if (this.#refused !== null) throw new Error(`say: ${this.#refused}`);
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(answers: string): void {
    for (const [, status] of answers.matchAll(ANSWER)) {
      this.#waiting--;
      if (status !== '200') this.#refused = answers;
    }
    if (this.#waiting === 0) this.#answered();
  }
}
