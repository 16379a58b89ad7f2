import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { EventLog } from '../../support/event-log.ts';
import { claimRtpPorts, type PortClaim } from '../../support/free-ports.ts';
import { parseSip, respond, type SipMessage, type SipRequest, sipBytes } from '../../support/sip-message.ts';
import { PhoneCall, type PhoneLink } from './phone-call.ts';
import { RtpPhone } from './rtp-phone.ts';

const HOST = '127.0.0.1';
/** Of calls at the same time. */
const RTP_PORTS = 30;

/** A phone on loopback with its own SIP, RTP and parsers, so that no code of the gateway judges the gateway. */
export class SipPhone {
  readonly #socket: Socket = createSocket('udp4');
  readonly #claim: PortClaim;
  readonly #freePorts: number[];
  readonly #calls = new Map<string, PhoneCall>();
  readonly #offered = new EventLog<PhoneCall>();
  #gatewayPort = 0;

  private constructor(claim: PortClaim) {
    this.#claim = claim;
    this.#freePorts = Array.from({ length: RTP_PORTS / 2 }, (_, index) => claim.first + 2 * index);
    this.#socket.on('message', (bytes) => {
      const message = parseSip(bytes);
      if (message !== null) void this.#receive(message);
    });
  }

  static async start(): Promise<SipPhone> {
    const phone = new SipPhone(await claimRtpPorts(RTP_PORTS));
    phone.#socket.bind(0, HOST);
    await once(phone.#socket, 'listening');
    return phone;
  }

  get port(): number {
    return this.#socket.address().port;
  }

  /** Calls that it was offered. */
  get offers(): number {
    return this.#offered.all.length;
  }

  facing(gatewayPort: number): void {
    this.#gatewayPort = gatewayPort;
  }

  /** The call to a URI. */
  async offered(uri: string, deadlineMs: number): Promise<PhoneCall> {
    return await this.#offered.next(`a call to ${uri}`, (call) => call.uri === uri, deadlineMs);
  }

  /** Calls a URI of the gateway. */
  async dial(uri: string): Promise<PhoneCall> {
    const call = PhoneCall.placing(this.#link, await this.#openRtp(), uri);
    this.#calls.set(call.callId, call);
    return call;
  }

  hangUpAll(): void {
    for (const call of this.#calls.values()) call.abandon();
  }

  stop(): void {
    for (const call of this.#calls.values()) call.close();
    this.#socket.close();
    this.#claim.release();
  }

  get #link(): PhoneLink {
    return { contact: `sip:phone@${HOST}:${this.port}`, send: (message) => this.#send(message) };
  }

  #send(message: SipMessage): void {
    this.#socket.send(sipBytes(message), this.#gatewayPort, HOST);
  }

  async #receive(message: SipMessage): Promise<void> {
    const call = this.#calls.get(message.headers['call-id']);
    if (call !== undefined) return call.receive(message);
    if (message.method === 'INVITE') return await this.#offer(message);
    if (message.method !== undefined && message.method !== 'ACK') this.#send(respond(message, 200, 'OK'));
  }

  async #offer(invite: SipRequest): Promise<void> {
    const call = PhoneCall.offered(this.#link, await this.#openRtp(), invite);
    this.#calls.set(call.callId, call);
    this.#offered.push(call);
  }

  async #openRtp(): Promise<RtpPhone> {
    const port = this.#freePorts.shift();
    if (port === undefined) throw new Error('too many calls at the same time');
    return await RtpPhone.open(port, () => this.#freePorts.push(port));
  }
}
