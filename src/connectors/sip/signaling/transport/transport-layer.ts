import type { Clock } from '../../../../base/time.ts';
import { isPrivateAddress } from '../address/address-policy.ts';
import { parseSipUri, uriInHeader } from '../message/sip-uri.ts';
import { parseVia, sentByOf, type Via } from '../message/via.ts';
import type { SipObserver } from '../sip-observer.ts';
import { ClientTransactions } from '../transactions/client-transactions.ts';
import { ServerTransactions, serverKey } from '../transactions/server-transactions.ts';
import type { TrunkFlow } from '../trunk/trunk-flow.ts';
import type { UdpTransport } from './udp-transport.ts';
import type { Destination, SipProtocol } from './wire.ts';

/** Routing data of a message written by sip.js. */
interface OutgoingText {
  /** The request's method; for a response, that of the request it answers. */
  readonly method: string;
  /** Null for requests. */
  readonly status: number | null;
  readonly via: Via;
  readonly callId: string;
  readonly hasToTag: boolean;
  /** The top Route, or else the Request-URI (RFC 3261 section 8.1.2). */
  readonly nextHop: string;
}

/** A sender of requests: the part of a route that this layer uses. */
export interface RequestSender {
  readonly transport: SipProtocol;
  readonly flow: TrunkFlow;
  /** Destination of requests with this Call-ID outside dialogs. */
  destinationFor(callId: string): Destination;
  resolveHop(host: string, port: number): Promise<Destination>;
}

/**
 * Connects sip.js, which produces text, to the sockets. Determines each message's destination and keeps the two
 * transaction tables that repeat messages lost over UDP (RFC 3261 section 18).
 */
export class TransportLayer<Sender extends RequestSender> {
  readonly requests: ClientTransactions<Sender>;
  readonly received: ServerTransactions<Sender>;
  readonly #udp: () => UdpTransport;

  constructor(clock: Clock, observer: SipObserver, udp: () => UdpTransport) {
    this.requests = new ClientTransactions(clock, observer);
    this.received = new ServerTransactions(clock, observer);
    this.#udp = udp;
  }

  /** Sends a message written by the sender's core. */
  async send(sender: Sender, text: string): Promise<void> {
    const message = readOutgoing(text);
    if (message === null) throw new Error('the outgoing SIP message has no Via header');
    const { method, status, via } = message;
    if (status !== null) {
      return this.received.respond(serverKey(via.branch, sentByOf(via), method), method, status, text);
    }
    const destination = await this.#destinationOf(sender, message);
    const transmit = (): Promise<void> => this.#transmit(sender, destination, text);
    const resend = (): void => void transmit().catch(() => {});
    if (method === 'ACK') this.requests.acknowledged(via.branch, resend);
    else this.requests.sent(via.branch, { method, owner: sender, destination, resend });
    return transmit();
  }

  /** Sends an empty line over UDP as a keep-alive. */
  ping(destination: Destination): void {
    this.#udp()
      .send('\r\n\r\n', destination.host, destination.port)
      .catch(() => {});
  }

  close(): void {
    this.requests.clear();
    this.received.clear();
  }

  /**
   * Returns a request's destination. Outside dialogs, it is the one pinned to the Call-ID. Inside dialogs over UDP, it
   * is the route set or the remote target. TCP and TLS always use the sender's connection (connection reuse, RFC 5923).
   */
  async #destinationOf(sender: Sender, message: OutgoingText): Promise<Destination> {
    const ofInvite = this.requests.destinationOf(message.via.branch);
    if (ofInvite !== null) return ofInvite;
    const pinned = sender.destinationFor(message.callId);
    if (!message.hasToTag || sender.transport !== 'udp') return pinned;
    const hop = parseSipUri(message.nextHop);
    if (hop === null || hop.host === '') return pinned;
    // A private Contact behind a NAT is unreachable; the server can route to it.
    if (isPrivateAddress(hop.host) && !isPrivateAddress(pinned.host)) return pinned;
    return sender.resolveHop(hop.host, hop.port ?? 5060).catch(() => pinned);
  }

  async #transmit(sender: Sender, destination: Destination, text: string): Promise<void> {
    if (destination.protocol === 'udp') {
      return this.#udp().send(text, destination.host, destination.port);
    }
    const connection = sender.flow.connection ?? (await sender.flow.open(destination));
    return connection.send(text);
  }
}

/** Parses a message that we generated; null indicates a bug in its generator. */
export function readOutgoing(text: string): OutgoingText | null {
  const via = parseVia(headerLine(text, 'Via'));
  if (via === null) return null;
  const isResponse = text.startsWith('SIP/2.0 ');
  const [first = '', second = ''] = text.split(' ', 2);
  const route = headerLine(text, 'Route');
  return {
    method: isResponse ? (/\s(\S+)$/.exec(headerLine(text, 'CSeq'))?.[1] ?? '') : first,
    status: isResponse ? Number(second) : null,
    via,
    callId: headerLine(text, 'Call-ID'),
    hasToTag: /;\s*tag=/i.test(headerLine(text, 'To')),
    nextHop: route === '' ? second : uriInHeader(route),
  };
}

/**
 * Returns the first header line of this name, in the spelling that sip.js and we use. It is the topmost one, as the
 * head precedes the body.
 */
function headerLine(text: string, name: string): string {
  const start = text.indexOf(`\r\n${name}: `);
  if (start < 0) return '';
  const valueStart = start + name.length + 4;
  return text.slice(valueStart, text.indexOf('\r\n', valueStart)).trim();
}
