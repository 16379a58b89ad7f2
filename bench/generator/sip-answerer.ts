import { createSocket, type Socket } from 'node:dgram';

/** Where a caller wants its media. */
export interface MediaAddress {
  readonly host: string;
  readonly port: number;
}

interface Dialog {
  readonly ok: string;
  readonly port: number;
  readonly host: string;
  acknowledged: boolean;
}

const T1_MS = 500;

/** What the phones speak, as SDP says it. */
export interface SpokenCodec {
  readonly payloadType: number;
  /** Such as `PCMU/8000` (RFC 8866 section 6.6). */
  readonly rtpmap: string;
}

const PCMU: SpokenCodec = { payloadType: 0, rtpmap: 'PCMU/8000' };

/** Answers every INVITE at once; just enough of SIP for a load test (RFC 3261 sections 13.3 and 15.1.2). */
export class SipAnswerer {
  readonly #socket: Socket = createSocket('udp4');
  readonly #host: string;
  readonly #sipPort: number;
  readonly #openMedia: (remote: MediaAddress) => number;
  readonly #codec: SpokenCodec;
  readonly #dialogs = new Map<string, Dialog>();
  readonly #repeats: NodeJS.Timeout;

  /** `openMedia` is told where to send and returns the port on which it will hear. */
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
    const callId = header(text, 'Call-ID', 'i');
    const dialog = this.#dialogs.get(callId);
    if (method === 'INVITE') {
      const ok = dialog?.ok ?? this.#answer(text, callId, host, port);
      this.#socket.send(ok, port, host);
    } else if (method === 'ACK') {
      if (dialog !== undefined) dialog.acknowledged = true;
    } else if (!method.startsWith('SIP/')) {
      if (method === 'BYE') this.#dialogs.delete(callId);
      this.#socket.send(`${replyHead(text, '')}Content-Length: 0\r\n\r\n`, port, host);
    }
  }

  #answer(invite: string, callId: string, host: string, port: number): string {
    const media = {
      host: /^c=IN IP4 (\S+)/m.exec(invite)?.[1] ?? host,
      port: Number(/^m=audio (\d+)/m.exec(invite)?.[1] ?? 0),
    };
    const sdp = this.#sdp(this.#openMedia(media));
    const head = replyHead(invite, ';tag=load');
    const contact = `Contact: <sip:load@${this.#host}:${this.#sipPort}>\r\n`;
    const ok = `${head}${contact}Content-Type: application/sdp\r\nContent-Length: ${sdp.length}\r\n\r\n${sdp}`;
    this.#dialogs.set(callId, { ok, host, port, acknowledged: false });
    return ok;
  }

  #sdp(rtpPort: number): string {
    return [
      'v=0',
      `o=load ${rtpPort} 1 IN IP4 ${this.#host}`,
      's=load',
      `c=IN IP4 ${this.#host}`,
      't=0 0',
      `m=audio ${rtpPort} RTP/AVP ${this.#codec.payloadType}`,
      `a=rtpmap:${this.#codec.payloadType} ${this.#codec.rtpmap}`,
      'a=ptime:20',
      'a=sendrecv',
      '',
    ].join('\r\n');
  }

  /** A 200 is repeated until its ACK comes (section 13.3.1.4), here without the doubling of the interval. */
  #repeatAnswers(): void {
    for (const { acknowledged, ok, host, port } of this.#dialogs.values()) {
      if (!acknowledged) this.#socket.send(ok, port, host);
    }
  }
}

function header(text: string, name: string, compact: string): string {
  return new RegExp(`^(?:${name}|${compact})\\s*:\\s*(.*?)\\s*$`, 'im').exec(text)?.[1] ?? '';
}

/** Status line and the headers that a response repeats. */
function replyHead(request: string, toTag: string): string {
  const repeated = request
    .slice(0, request.indexOf('\r\n\r\n'))
    .split('\r\n')
    .filter((line) => /^(via|v|from|f|to|t|call-id|i|cseq|record-route)\s*:/i.test(line))
    .map((line) => (/^(to|t)\s*:/i.test(line) && !line.includes(';tag=') ? line + toTag : line));
  return `SIP/2.0 200 OK\r\n${repeated.join('\r\n')}\r\n`;
}
