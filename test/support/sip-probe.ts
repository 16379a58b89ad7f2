import { createSocket, type Socket } from 'node:dgram';
import { EventLog } from './event-log.ts';
import { claimRtpPorts, claimSignalingPorts, type PortClaim } from './free-ports.ts';
import { parseSip, type SipMessage, type SipResponse } from './sip-message.ts';

/** A message and when it came. */
export interface ProbedMessage {
  readonly atMs: number;
  readonly message: SipMessage;
}

export interface ProbeRequest {
  readonly method: string;
  /** Request-URI and To. */
  readonly uri: string;
  readonly callId: string;
  readonly cseq?: number;
  readonly toTag?: string;
  /** Whole header lines. */
  readonly headers?: readonly string[];
  readonly body?: string;
}

/** A UDP socket that sends SIP exactly as instructed, mistakes included, and never by itself. */
export class SipProbe {
  readonly port: number;
  readonly rtpPort: number;
  readonly received: ProbedMessage[] = [];
  readonly #socket: Socket = createSocket('udp4');
  readonly #log = new EventLog<ProbedMessage>();
  readonly #target: { readonly host: string; readonly port: number };
  readonly #claims: readonly PortClaim[];

  private constructor(target: { host: string; port: number }, claims: readonly [PortClaim, PortClaim]) {
    this.#target = target;
    this.#claims = claims;
    this.port = claims[0].first;
    this.rtpPort = claims[1].first;
    this.#socket.on('message', (bytes) => {
      const message = parseSip(bytes);
      if (message === null) return;
      const probed = { atMs: performance.now(), message };
      this.received.push(probed);
      this.#log.push(probed);
    });
  }

  /** `target` is the probed peer. */
  static async start(target: { host: string; port: number }): Promise<SipProbe> {
    const probe = new SipProbe(target, [await claimSignalingPorts(1), await claimRtpPorts(2)]);
    await new Promise<void>((resolve) => probe.#socket.bind(probe.port, '127.0.0.1', resolve));
    return probe;
  }

  sendRaw(bytes: string | Buffer): void {
    const data = typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes;
    this.#socket.send(data, this.#target.port, this.#target.host);
  }

  /** Sends a well-formed request; the same request twice is a retransmission. */
  send(request: ProbeRequest): void {
    this.sendRaw(this.compose(request));
  }

  /** The request as text, to be damaged before it is sent. */
  compose({ method, uri, callId, cseq = 1, toTag, headers = [], body = '' }: ProbeRequest): string {
    const branch = `z9hG4bK-${callId}-${cseq}-${method === 'CANCEL' ? 'INVITE' : method}`;
    return [
      `${method} ${uri} SIP/2.0`,
      `Via: SIP/2.0/UDP 127.0.0.1:${this.port};branch=${branch};rport`,
      'Max-Forwards: 70',
      `From: <sip:probe@127.0.0.1:${this.port}>;tag=probe`,
      `To: <${uri}>${toTag === undefined ? '' : `;tag=${toTag}`}`,
      `Call-ID: ${callId}`,
      `CSeq: ${cseq} ${method}`,
      `Contact: <sip:probe@127.0.0.1:${this.port}>`,
      ...headers,
      ...(body === '' ? [] : ['Content-Type: application/sdp']),
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n');
  }

  /** An offer of PCMU, PCMA and telephone-event on the probe's RTP port. */
  offer(): string {
    return [
      'v=0',
      `o=probe 1 1 IN IP4 127.0.0.1`,
      's=-',
      'c=IN IP4 127.0.0.1',
      't=0 0',
      `m=audio ${this.rtpPort} RTP/AVP 0 8 101`,
      'a=rtpmap:0 PCMU/8000',
      'a=rtpmap:8 PCMA/8000',
      'a=rtpmap:101 telephone-event/8000',
      'a=fmtp:101 0-15',
      'a=ptime:20',
      'a=sendrecv',
      '',
    ].join('\r\n');
  }

  /** The next response with this status (or, below 10, of this class) in a Call-ID. */
  async waitForStatus(callId: string, status: number, deadlineMs?: number): Promise<SipResponse> {
    const matches = ({ message }: ProbedMessage) =>
      message.method === undefined &&
      message.headers['call-id'] === callId &&
      (message.status === status || Math.floor(message.status / 100) === status);
    const { message } = await this.#log.next(`a ${status} in ${callId}`, matches, deadlineMs);
    return message as SipResponse;
  }

  /** The next request of a method. */
  waitForRequest(method: string, deadlineMs?: number): Promise<ProbedMessage> {
    return this.#log.next(`${method} to the probe`, ({ message }) => message.method === method, deadlineMs);
  }

  /** Every response in a Call-ID so far, with its time. */
  responses(callId: string, status: number): ProbedMessage[] {
    return this.received.filter(
      ({ message }) => message.headers['call-id'] === callId && message.status === status,
    );
  }

  async stop(): Promise<void> {
    await new Promise<void>((resolve) => this.#socket.close(resolve));
    for (const claim of this.#claims) claim.release();
  }
}
