import { createSocket, type Socket } from 'node:dgram';

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
    return new Promise((resolve) => socket.bind(port, '127.0.0.1', () => resolve(trunk)));
  }

  close(): void {
    this.#socket.close();
  }

  #receive(text: string, from: number): void {
    if (text.startsWith('ACK ')) this.acknowledged++;
    if (!text.startsWith('INVITE ')) return;
    const repeated = text
      .split('\r\n')
      .filter((line) => /^(via|from|to|call-id|cseq):/i.test(line))
      .map((line) => (/^to:/i.test(line) ? `${line};tag=held` : line));
    const sdp = [
      ...['v=0', 'o=- 1 1 IN IP4 127.0.0.1', 's=-', 'c=IN IP4 127.0.0.1', 't=0 0'],
      ...[`m=audio ${RTP_PORT} RTP/AVP 0`, 'a=inactive', ''],
    ].join('\r\n');
    const head = ['SIP/2.0 200 OK', ...repeated, `Contact: <sip:held@127.0.0.1:${this.#port}>`];
    const tail = ['Content-Type: application/sdp', `Content-Length: ${sdp.length}`, '', sdp];
    this.#socket.send([...head, ...tail].join('\r\n'), from, '127.0.0.1');
  }
}
