import { createSocket, type Socket } from 'node:dgram';
import { addressIn, audioSdp, headerOf, type MediaAddress, replyTo } from '../sip-text.ts';

const HOST = '127.0.0.1';
const T1_MS = 500;
/** 64 × T1: RFC 3261 section 17.1.1.2. */
const MAX_REPEATS = 64;

/** What the trunk's telephones do with a call that reaches them. */
export interface Telephones {
  /** Returns the RTP port that answers, or null to refuse with 486. `number` is the called number. */
  ring(number: string, remote: MediaAddress): number | null;
  /** The gateway has ended the call. */
  ended(number: string): void;
}

interface Dialog {
  readonly number: string;
  /** Ours and the gateway's, with their tags. */
  readonly from: string;
  to: string;
  readonly callId: string;
  target: string;
  readonly onAnswer: ((remote: MediaAddress | null) => void) | null;
}

/** A trunk of telephones that are called, call, refuse and hang up, with as much SIP over UDP as that needs. */
export class SoakTrunk {
  readonly #socket: Socket = createSocket('udp4');
  readonly #port: number;
  readonly #gatewayPort: number;
  readonly #telephones: Telephones;
  readonly #dialogs = new Map<string, Dialog>();
  /** Messages that are repeated until they are answered, by Call-ID and method. */
  readonly #unanswered = new Map<string, { readonly text: string; repeats: number }>();
  readonly #repeater: NodeJS.Timeout;
  #branches = 0;

  constructor(port: number, gatewayPort: number, telephones: Telephones) {
    this.#port = port;
    this.#gatewayPort = gatewayPort;
    this.#telephones = telephones;
    this.#socket.on('message', (bytes) => this.#receive(bytes.toString('latin1')));
    this.#repeater = setInterval(() => this.#repeat(), T1_MS);
  }

  listen(): Promise<void> {
    return new Promise((resolve) => this.#socket.bind(this.#port, HOST, resolve));
  }

  close(): void {
    clearInterval(this.#repeater);
    this.#socket.close();
  }

  /** A telephone calls a number of the gateway; resolves with where it wants its media, null: it did not answer. */
  call(caller: string, called: string, rtpPort: number): Promise<MediaAddress | null> {
    const callId = `${caller}.soak`;
    const { promise, resolve } = Promise.withResolvers<MediaAddress | null>();
    const dialog: Dialog = {
      number: caller,
      from: `<sip:${caller}@${HOST}>;tag=soak`,
      to: `<sip:${called}@${HOST}>`,
      callId,
      target: `sip:${called}@${HOST}:${this.#gatewayPort}`,
      onAnswer: resolve,
    };
    this.#dialogs.set(callId, dialog);
    this.#request(dialog, 'INVITE', 1, audioSdp(HOST, rtpPort));
    return promise;
  }

  /** Hangs up as a telephone, for calls in either direction. */
  hangUp(number: string): void {
    const dialog = [...this.#dialogs.values()].find((each) => each.number === number);
    if (dialog === undefined) return;
    this.#dialogs.delete(dialog.callId);
    this.#request(dialog, 'BYE', 2);
  }

  #receive(text: string): void {
    const callId = headerOf(text, 'Call-ID');
    if (text.startsWith('SIP/2.0 ')) return this.#receiveResponse(text, callId);
    switch (text.slice(0, text.indexOf(' '))) {
      case 'INVITE':
        return this.#ring(text, callId);
      case 'ACK':
        this.#unanswered.delete(`${callId} INVITE`);
        return;
      case 'BYE':
        this.#receiveBye(text, callId);
        return;
      default:
        this.#send(replyTo(text, '200 OK', ';tag=soak'));
    }
  }

  #ring(invite: string, callId: string): void {
    const repeated = this.#unanswered.get(`${callId} INVITE`);
    if (repeated !== undefined) return this.#send(repeated.text);
    const number = /^INVITE sip:([^@;]+)/.exec(invite)?.[1] ?? '';
    const rtpPort = this.#telephones.ring(number, addressIn(invite));
    const contact = `sip:${number}@${HOST}:${this.#port}`;
    const answer =
      rtpPort === null
        ? replyTo(invite, '486 Busy Here', ';tag=soak')
        : replyTo(invite, '200 OK', ';tag=soak', { contact, sdp: audioSdp(HOST, rtpPort) });
    this.#unanswered.set(`${callId} INVITE`, { text: answer, repeats: 0 });
    this.#send(answer);
    if (rtpPort === null) return;
    this.#dialogs.set(callId, {
      number,
      from: headerOf(answer, 'To'),
      to: headerOf(invite, 'From'),
      callId,
      target: /<([^>]+)>/.exec(headerOf(invite, 'Contact'))?.[1] ?? '',
      onAnswer: null,
    });
  }

  #receiveBye(bye: string, callId: string): void {
    this.#send(replyTo(bye, '200 OK', ''));
    const dialog = this.#dialogs.get(callId);
    if (!this.#dialogs.delete(callId) || dialog === undefined) return;
    this.#telephones.ended(dialog.number);
  }

  #receiveResponse(text: string, callId: string): void {
    const [status, method] = [Number(text.slice(8, 11)), headerOf(text, 'CSeq').split(' ')[1] ?? ''];
    if (status < 200) return;
    this.#unanswered.delete(`${callId} ${method}`);
    const dialog = this.#dialogs.get(callId);
    if (method !== 'INVITE' || dialog === undefined) return;
    dialog.to = headerOf(text, 'To');
    if (status < 300) dialog.target = /<([^>]+)>/.exec(headerOf(text, 'Contact'))?.[1] ?? dialog.target;
    this.#request(dialog, 'ACK', 1);
    if (status >= 300) this.#dialogs.delete(callId);
    dialog.onAnswer?.(status < 300 ? addressIn(text) : null);
  }

  #request(dialog: Dialog, method: string, sequence: number, sdp = ''): void {
    const text = [
      `${method} ${dialog.target} SIP/2.0`,
      `Via: SIP/2.0/UDP ${HOST}:${this.#port};branch=z9hG4bKsoak${this.#branches++};rport`,
      'Max-Forwards: 70',
      `From: ${dialog.from}`,
      `To: ${dialog.to}`,
      `Call-ID: ${dialog.callId}`,
      `CSeq: ${sequence} ${method}`,
      `Contact: <sip:${dialog.number}@${HOST}:${this.#port}>`,
      ...(sdp === '' ? [] : ['Content-Type: application/sdp']),
      `Content-Length: ${sdp.length}`,
      '',
      sdp,
    ].join('\r\n');
    if (method !== 'ACK') this.#unanswered.set(`${dialog.callId} ${method}`, { text, repeats: 0 });
    this.#send(text);
  }

  #repeat(): void {
    for (const [key, waiting] of this.#unanswered) {
      if (++waiting.repeats > MAX_REPEATS) this.#giveUp(key);
      else if (waiting.repeats > 1) this.#send(waiting.text);
    }
  }

  #giveUp(key: string): void {
    this.#unanswered.delete(key);
    const [callId = '', method] = key.split(' ');
    if (method === 'INVITE') this.#dialogs.get(callId)?.onAnswer?.(null);
  }

  #send(text: string): void {
    this.#socket.send(text, this.#gatewayPort, HOST);
  }
}
