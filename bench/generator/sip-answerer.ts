import { createSocket, type Socket } from 'node:dgram';
import {
  addressIn,
  audioSdp,
  headerOf,
  type MediaAddress,
  PCMU,
  replyTo,
  type SpokenCodec,
} from '../sip-text.ts';

interface Dialog {
  readonly ok: string;
  readonly port: number;
  readonly host: string;
  acknowledged: boolean;
}

const T1_MS = 500;

/** Answers every INVITE at once; just enough of SIP for a load test (RFC 3261 sections 13.3 and 15.1.2). */
export class SipAnswerer {
  readonly #socket: Socket = createSocket('udp4');
  readonly #host: string;
  readonly #sipPort: number;
  readonly #openMedia: (remote: MediaAddress) => number;
  readonly #codec: SpokenCodec;
  readonly #dialogs = new Map<string, Dialog>();
  readonly #repeats: NodeJS.Timeout;

  /** `openMedia` gets the remote address and returns the local RTP port. */
  constructor(
    host: string,
    sipPort: number,
    openMedia: (remote: MediaAddress) => number,
    codec: SpokenCodec = PCMU,
  ) {
    this.#codec = codec;
    this.#host = host;
    this.#sipPort = sipPort;
    this.#openMedia = openMedia;
    this.#socket.on('message', (bytes, { address, port }) => {
      this.#receive(bytes.toString('latin1'), address, port);
    });
    this.#repeats = setInterval(() => this.#repeatAnswers(), T1_MS);
  }

  listen(): Promise<void> {
    return new Promise((resolve) => this.#socket.bind(this.#sipPort, this.#host, resolve));
  }

  close(): void {
    clearInterval(this.#repeats);
    this.#socket.close();
  }

  #receive(text: string, host: string, port: number): void {
    const method = text.slice(0, text.indexOf(' '));
    const callId = headerOf(text, 'Call-ID', 'i');
    const dialog = this.#dialogs.get(callId);
    if (method === 'INVITE') {
      const ok = dialog?.ok ?? this.#answer(text, callId, host, port);
      this.#socket.send(ok, port, host);
    } else if (method === 'ACK') {
      if (dialog !== undefined) dialog.acknowledged = true;
    } else if (!method.startsWith('SIP/')) {
      if (method === 'BYE') this.#dialogs.delete(callId);
      this.#socket.send(replyTo(text, '200 OK', ''), port, host);
    }
  }

  #answer(invite: string, callId: string, host: string, port: number): string {
    const wanted = addressIn(invite);
    const rtpPort = this.#openMedia({ host: wanted.host || host, port: wanted.port });
    const contact = `sip:load@${this.#host}:${this.#sipPort}`;
    const sdp = audioSdp(this.#host, rtpPort, this.#codec);
    const ok = replyTo(invite, '200 OK', ';tag=load', { contact, sdp });
    this.#dialogs.set(callId, { ok, host, port, acknowledged: false });
    return ok;
  }

  /** A 200 is repeated until its ACK comes (section 13.3.1.4), here without the doubling of the interval. */
  #repeatAnswers(): void {
    for (const { acknowledged, ok, host, port } of this.#dialogs.values()) {
      if (!acknowledged) this.#socket.send(ok, port, host);
    }
  }
}
