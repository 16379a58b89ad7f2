import { createSocket, type Socket } from 'node:dgram';
import { audioSdp, PCMU, replyTo } from '../sip-text.ts';

const HOST = '127.0.0.1';
const RTP_PORT = 9;

/** Answers every INVITE at once and puts the call on hold in the same breath: `a=inactive` (RFC 3264 section 8.4). */
export class HoldingTrunk {
  acknowledged = 0;
  readonly #socket: Socket;
  readonly #port: number;

  private constructor(socket: Socket, port: number) {
    this.#socket = socket;
    this.#port = port;
    socket.on('message', (bytes, { port: from }) => this.#receive(bytes.toString('latin1'), from));
  }

  static listen(port: number): Promise<HoldingTrunk> {
    const socket = createSocket('udp4');
    const trunk = new HoldingTrunk(socket, port);
    return new Promise((resolve) => socket.bind(port, HOST, () => resolve(trunk)));
  }

  close(): void {
    this.#socket.close();
  }

  #receive(text: string, from: number): void {
    if (text.startsWith('ACK ')) this.acknowledged++;
    if (!text.startsWith('INVITE ')) return;
    const contact = `sip:held@${HOST}:${this.#port}`;
    const sdp = audioSdp(HOST, RTP_PORT, PCMU, 'inactive');
    this.#socket.send(replyTo(text, '200 OK', ';tag=held', { contact, sdp }), from, HOST);
  }
}
