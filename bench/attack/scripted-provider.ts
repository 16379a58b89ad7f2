import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { waitFor } from '../../test/support/wait-for.ts';
import { addressIn, audioSdp, headerOf, type MediaAddress, replyTo } from '../sip-text.ts';
import { PROVIDER_HOST } from './attack.ts';

/** A provider's answer to a call of the gateway. */
export interface ProviderAnswer {
  /** Such as `200 OK`. */
  readonly status: string;
  readonly contact?: string;
  readonly sdp?: string;
  /** Additional header lines. */
  readonly headers?: readonly string[];
}

/** A call that the provider makes. */
interface ProviderCall {
  readonly uri: string;
  readonly called: string;
  readonly callId: string;
}

/** A telephone provider over UDP with scripted answers. It keeps everything that the gateway sent. */
export class ScriptedProvider {
  readonly received: string[] = [];
  /** Decides how a call of the gateway is answered. */
  answer: (invite: string) => ProviderAnswer = () => ({ status: '486 Busy Here' });
  /** Whether it acknowledges a 2xx of the gateway. */
  acknowledges = true;
  readonly #socket: Socket;
  readonly #gatewayPort: number;
  #calls = 0;

  private constructor(socket: Socket, gatewayPort: number) {
    this.#socket = socket;
    this.#gatewayPort = gatewayPort;
    socket.on('message', (bytes) => this.#receive(bytes.toString('latin1')));
  }

  static async open(gatewayPort: number): Promise<ScriptedProvider> {
    const socket = createSocket('udp4');
    socket.bind(0, PROVIDER_HOST);
    await once(socket, 'listening');
    return new ScriptedProvider(socket, gatewayPort);
  }

  get port(): number {
    return this.#socket.address().port;
  }

  /** Calls a user of the gateway, with `called` in To. Resolves with the final status, or 0 if there is none in time. */
  async call(user: string, called: string, rtpPort: number, deadlineMs = 3_000): Promise<number> {
    const callId = `provider-${this.port}-${++this.#calls}`;
    const call = { uri: `sip:${user}@127.0.0.1:${this.#gatewayPort}`, called, callId };
    this.#send(this.#request('INVITE', call, audioSdp(PROVIDER_HOST, rtpPort)));
    const final = await waitFor(`an answer to ${call.uri}`, () => this.#finalOf(callId), deadlineMs).catch(
      () => null,
    );
    if (final === null) {
      this.#send(this.#request('CANCEL', call));
      return 0;
    }
    return Number(final.slice(8, 11));
  }

  /** The media address in the gateway's last INVITE. */
  get lastOffer(): MediaAddress {
    return addressIn(this.received.findLast((text) => text.startsWith('INVITE ')) ?? '');
  }

  requests(method: string): string[] {
    return this.received.filter((text) => text.startsWith(`${method} `));
  }

  close(): void {
    this.#socket.close();
  }

  #finalOf(callId: string): string | null {
    const isFinal = (text: string) =>
      /^SIP\/2\.0 [2-6]/.test(text) && headerOf(text, 'CSeq').endsWith('INVITE');
    return this.received.find((text) => isFinal(text) && headerOf(text, 'Call-ID') === callId) ?? null;
  }

  #receive(text: string): void {
    this.received.push(text);
    if (text.startsWith('SIP/2.0 ')) this.#acknowledge(text);
    else if (text.startsWith('INVITE ')) this.#ring(text);
    else if (!text.startsWith('ACK ')) this.#send(replyTo(text, '200 OK', ';tag=provider'));
  }

  #ring(invite: string): void {
    const { status, contact, sdp, headers = [] } = this.answer(invite);
    const target = contact ?? `sip:provider@${PROVIDER_HOST}:${this.port}`;
    const reply = replyTo(invite, status, ';tag=provider', { contact: target, sdp });
    const [statusLine = '', ...rest] = reply.split('\r\n');
    this.#send([statusLine, ...headers, ...rest].join('\r\n'));
  }

  #acknowledge(response: string): void {
    const final = /^SIP\/2\.0 ([2-6])/.exec(response)?.[1];
    const isInvite = headerOf(response, 'CSeq').endsWith('INVITE');
    if (final === undefined || !isInvite || (final === '2' && !this.acknowledges)) return;
    const target = /<([^>]+)>/.exec(headerOf(response, 'Contact'))?.[1] ?? 'sip:gateway@127.0.0.1';
    this.#send(
      [
        `ACK ${target} SIP/2.0`,
        final === '2' ? this.#via() : `Via: ${headerOf(response, 'Via')}`,
        `From: ${headerOf(response, 'From')}`,
        `To: ${headerOf(response, 'To')}`,
        `Call-ID: ${headerOf(response, 'Call-ID')}`,
        'CSeq: 1 ACK',
        'Max-Forwards: 70',
        'Content-Length: 0',
        '',
        '',
      ].join('\r\n'),
    );
  }

  #request(method: string, { uri, called, callId }: ProviderCall, sdp = ''): string {
    return [
      `${method} ${uri} SIP/2.0`,
      `Via: SIP/2.0/UDP ${PROVIDER_HOST}:${this.port};branch=z9hG4bK-${callId};rport`,
      'Max-Forwards: 70',
      `From: <sip:caller@${PROVIDER_HOST}>;tag=provider`,
      `To: <sip:${called}@127.0.0.1>`,
      `Call-ID: ${callId}`,
      `CSeq: 1 ${method}`,
      `Contact: <sip:caller@${PROVIDER_HOST}:${this.port}>`,
      ...(sdp === '' ? [] : ['Content-Type: application/sdp']),
      `Content-Length: ${sdp.length}`,
      '',
      sdp,
    ].join('\r\n');
  }

  #via(): string {
    return `Via: SIP/2.0/UDP ${PROVIDER_HOST}:${this.port};branch=z9hG4bK-ack-${++this.#calls};rport`;
  }

  #send(text: string): void {
    this.#socket.send(Buffer.from(text, 'latin1'), this.#gatewayPort, '127.0.0.1');
  }
}
