import { EventLog } from '../../../../support/event-log.ts';
import {
  parseSip,
  type SipMessage,
  type SipRequest,
  type SipResponse,
} from '../../../../support/sip-message.ts';
import { type PeerWire, UdpWire } from './peer-wire.ts';

export interface Answer {
  readonly tag?: string;
  /** Null leaves it out. */
  readonly contact?: string | null;
  readonly headers?: readonly string[];
  readonly body?: string;
  /** The address from which the peer claims to have seen the request, `host:port`. */
  readonly seenFrom?: string;
}

/** A SIP peer that sends exactly what a test tells it to, and repeats nothing by itself. */
export class ScriptedPeer {
  readonly received: { readonly atMs: number; readonly message: SipMessage; readonly text: string }[] = [];
  readonly #wire: PeerWire;
  readonly #log = new EventLog<SipMessage>();

  private constructor(wire: PeerWire) {
    this.#wire = wire;
  }

  /** Speaks UDP, or TCP or TLS: then it waits for the gateway's connection. */
  static async start(host = '127.0.0.1', wire: PeerWire = new UdpWire()): Promise<ScriptedPeer> {
    const peer = new ScriptedPeer(wire);
    await wire.listen(host, (bytes) => {
      const message = parseSip(bytes);
      if (message === null) return;
      peer.received.push({ atMs: performance.now(), message, text: bytes.toString() });
      peer.#log.push(message);
    });
    return peer;
  }

  get port(): number {
    return this.#wire.address.port;
  }

  get host(): string {
    return this.#wire.address.address;
  }

  /** Sets the address to talk to. */
  facing(gatewayPort: number): void {
    this.#wire.gatewayPort = gatewayPort;
  }

  async request(method: string, deadlineMs?: number): Promise<SipRequest> {
    return (await this.#log.next(method, (message) => message.method === method, deadlineMs)) as SipRequest;
  }

  async response(status: number, method: string, deadlineMs?: number): Promise<SipResponse> {
    const matches = (message: SipMessage): boolean =>
      message.status === status && message.headers.cseq.method === method;
    return (await this.#log.next(`${status} to ${method}`, matches, deadlineMs)) as SipResponse;
  }

  requests(method: string): SipRequest[] {
    return this.received
      .map(({ message }) => message)
      .filter((message) => message.method === method) as SipRequest[];
  }

  statuses(method: string): number[] {
    return this.received.flatMap(({ message }) =>
      message.method === undefined && message.headers.cseq.method === method ? [message.status] : [],
    );
  }

  /** Answers a request as a UAS does. */
  answer(
    request: SipRequest,
    status: number,
    { tag = 'peer', contact, headers = [], body = '', seenFrom }: Answer = {},
  ): void {
    const raw = this.received.find(({ message }) => message === request)!.text.split('\r\n');
    const copied = raw.filter((line) => /^(via|from|call-id|cseq|record-route):/i.test(line));
    const to = raw.find((line) => /^to:/i.test(line))!;
    const [host, port] = seenFrom?.split(':') ?? [];
    const stamp = seenFrom === undefined ? ';rport' : `;received=${host};rport=${port}`;
    this.sendText(
      [
        `SIP/2.0 ${status} Scripted`,
        ...copied.map((line) => (/^via:/i.test(line) ? line.replace(/;rport/i, stamp) : line)),
        status === 100 || /;tag=/.test(to) ? to : `${to};tag=${tag}`,
        ...(contact === null ? [] : [`Contact: <${contact ?? `sip:peer@${this.host}:${this.port}`}>`]),
        ...headers,
        ...bodyLines(body),
      ].join('\r\n'),
    );
  }

  /** Sends a request; inside a dialog when `dialog` has the tags. */
  send(
    method: string,
    uri: string,
    call: {
      readonly callId: string;
      readonly cseq: number;
      readonly branch?: string;
      readonly fromTag?: string;
      readonly to?: string;
      readonly toTag?: string;
      readonly headers?: readonly string[];
      readonly body?: string;
    },
  ): void {
    const { callId, cseq, fromTag = 'peer', toTag, headers = [], body = '' } = call;
    const branch = call.branch ?? `z9hG4bK${callId}${cseq}${method}`;
    this.sendText(
      [
        `${method} ${uri} SIP/2.0`,
        `Via: SIP/2.0/${this.#wire.protocol} ${this.host}:${this.port};branch=${branch};rport`,
        'Max-Forwards: 70',
        `From: <sip:+33611111111@${this.host}>;tag=${fromTag}`,
        `To: <${call.to ?? uri}>${toTag === undefined ? '' : `;tag=${toTag}`}`,
        `Call-ID: ${callId}`,
        `CSeq: ${cseq} ${method}`,
        `Contact: <sip:peer@${this.host}:${this.port}>`,
        ...headers,
        ...bodyLines(body),
      ].join('\r\n'),
    );
  }

  sendText(text: string | Buffer): void {
    this.#wire.send(text);
  }

  stop(): void {
    this.#wire.close();
  }
}

function bodyLines(body: string): string[] {
  const type = body.startsWith('v=') ? ['Content-Type: application/sdp'] : [];
  return [...(body === '' ? [] : type), `Content-Length: ${Buffer.byteLength(body)}`, '', body];
}

/** An SDP with one audio line. */
export function sdp(
  port = 40_000,
  {
    codecs = '0 8 101',
    direction = 'sendrecv',
    version = 1,
    attributes = [],
  }: { codecs?: string; direction?: string; version?: number; attributes?: readonly string[] } = {},
): string {
  return [
    'v=0',
    `o=peer 1 ${version} IN IP4 127.0.0.1`,
    's=-',
    'c=IN IP4 127.0.0.1',
    't=0 0',
    `m=audio ${port} RTP/AVP ${codecs}`,
    'a=rtpmap:101 telephone-event/8000',
    ...attributes.map((each) => `a=${each}`),
    `a=${direction}`,
    '',
  ].join('\r\n');
}
