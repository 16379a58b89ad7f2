import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { hostInUri } from '../message/sip-uri.ts';
import { type Connection, type Destination, plainAddress, type SipProtocol } from '../transport/wire.ts';
import { trunkFault } from '../trunk/trunk-fault.ts';

/** The part of our address that does not depend on a route. */
export interface Listening {
  /** Set by the operator; null uses the address the system routes with, or the one the servers see. */
  readonly advertisedHost: string | null;
  /** Port we listen on for the protocol; null when we do not listen. */
  readonly listeningPort: (protocol: SipProtocol) => number | null;
}

/** The route that the address is for, as it is now. */
interface AddressedRoute {
  readonly transport: SipProtocol;
  readonly flow: { readonly connection: Connection | null };
}

/** Our address as seen by the servers of one route. */
export class OwnAddress {
  readonly #route: AddressedRoute;
  readonly #listening: Listening;
  /** Empty until known. */
  #host: string;
  /**
   * Our address as seen by the servers through a NAT; null without a NAT, or until a server has reported it.
   */
  #seen: { readonly host: string; readonly port: number } | null = null;

  constructor(route: AddressedRoute, listening: Listening) {
    this.#route = route;
    this.#listening = listening;
    this.#host = listening.advertisedHost ?? '';
  }

  /** Empty before the first `learn`, unless the operator has set it. */
  get host(): string {
    return this.#seen?.host ?? this.#host;
  }

  /** Determines our address on the route to a server. Rejects with TrunkFault. */
  async learn({ host, port }: Destination): Promise<void> {
    if (this.#listening.advertisedHost !== null) return;
    this.#host = await localAddressTowards(host, port).catch((error: unknown) => {
      throw trunkFault(error);
    });
  }

  /** Records our source address as reported by a server, unless the operator has set one. */
  noteSeen(seen: { readonly host: string; readonly port: number } | null): void {
    const { advertisedHost, listeningPort } = this.#listening;
    if (seen === null || advertisedHost !== null) return;
    // The port of an outbound connection differs from the listening port in any case.
    const isSamePort = this.#route.transport !== 'udp' || seen.port === listeningPort('udp');
    this.#seen = seen.host === this.#host && isSamePort ? null : seen;
  }

  /** `host:port` for Via. */
  get sentBy(): string {
    const { transport, flow } = this.#route;
    // Without a TLS listener, the peer can only reach us over the connection that we opened.
    const port = this.#listening.listeningPort(transport) ?? flow.connection?.localPort ?? 5061;
    return `${hostInUri(this.#host)}:${port}`;
  }

  /** Returns the URI of a user at the address where the servers see us. */
  contactOf(user: string): string {
    return this.#uri(user, this.#place);
  }

  /** Like `contactOf`, as a `sips` URI, which requires TLS by itself. */
  secureContactOf(user: string): string {
    return `sips:${user}@${this.#place}`;
  }

  get #place(): string {
    return this.#seen === null ? this.sentBy : `${hostInUri(this.#seen.host)}:${this.#seen.port}`;
  }

  /**
   * Returns the URI of a user for inbound calls to our listener; null when we do not listen or our address is unknown.
   */
  listeningUriOf(user: string): string | null {
    const port = this.#listening.listeningPort(this.#route.transport);
    return port === null || this.host === '' ? null : this.#uri(user, `${hostInUri(this.host)}:${port}`);
  }

  #uri(user: string, place: string): string {
    const { transport } = this.#route;
    return `sip:${user}@${place}${transport === 'udp' ? '' : `;transport=${transport}`}`;
  }
}

/** Returns our address on the system's route to `remoteHost` (an IP address). Sends nothing. */
export function localAddressTowards(remoteHost: string, remotePort: number): Promise<string> {
  const socket = createSocket(isIPv6(remoteHost) ? 'udp6' : 'udp4');
  return new Promise<string>((resolve, reject) => {
    socket.once('error', reject);
    socket.once('connect', () => resolve(plainAddress(socket.address().address)));
    // Without its own callback, `connect` reports a missing route as an 'error' event.
    socket.connect(remotePort, remoteHost);
  }).finally(() => socket.close());
}
