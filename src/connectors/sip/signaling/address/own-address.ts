import { hostInUri } from '../message/sip-uri.ts';
import { localAddressTowards } from '../transport/local-address.ts';
import type { Destination, SipProtocol } from '../transport/wire.ts';
import { trunkFault } from '../trunk/trunk-fault.ts';

/** Where we are reached, as far as it does not depend on a trunk. */
export interface Listening {
  /** The operator's word; null: what the system routes with, or what the trunk's servers see. */
  readonly advertisedHost: string | null;
  /** The port on which we listen for that protocol; null when we don't. */
  readonly listeningPort: (protocol: SipProtocol) => number | null;
}

/** Our address as the servers of one trunk reach it. */
export class OwnAddress {
  readonly #transport: SipProtocol;
  readonly #listening: Listening;
  /** The port of ours at the other end of the trunk's connection; null when none is open. */
  readonly #connectionPort: () => number | null;
  /** Empty: not known yet. */
  #host: string;
  /** Where the trunk's servers see us when a NAT lies between; null when none does, or nobody has said so. */
  #seen: { readonly host: string; readonly port: number } | null = null;

  constructor(transport: SipProtocol, listening: Listening, connectionPort: () => number | null) {
    this.#transport = transport;
    this.#listening = listening;
    this.#connectionPort = connectionPort;
    this.#host = listening.advertisedHost ?? '';
  }

  /** Empty before the first `learn` where nobody has set it. */
  get host(): string {
    return this.#seen?.host ?? this.#host;
  }

  /** Finds out which address of ours leads to a server. Rejects with TrunkFault. */
  async learn({ host, port }: Destination): Promise<void> {
    if (this.#listening.advertisedHost !== null) return;
    this.#host = await localAddressTowards(host, port).catch((error: unknown) => {
      throw trunkFault(error);
    });
  }

  /** Takes a server's word for where our requests come from, unless our operator has said it. */
  noteSeen(seen: { readonly host: string; readonly port: number } | null): void {
    const { advertisedHost, listeningPort } = this.#listening;
    if (seen === null || advertisedHost !== null) return;
    // The port of a connection that we have opened differs anyhow.
    const isSamePort = this.#transport !== 'udp' || seen.port === listeningPort(this.#transport);
    this.#seen = seen.host === this.#host && isSamePort ? null : seen;
  }

  /** `host:port` for Via. */
  get sentBy(): string {
    // Without a listener for TLS the peer's only way to us is the connection that we have opened.
    const port = this.#listening.listeningPort(this.#transport) ?? this.#connectionPort() ?? 5061;
    return `${hostInUri(this.#host)}:${port}`;
  }

  /** The URI of a user at the place from which the trunk's servers see us talk to them. */
  contactOf(user: string): string {
    const seen = this.#seen;
    return this.#uri(user, seen === null ? this.sentBy : `${hostInUri(seen.host)}:${seen.port}`);
  }

  /** The URI of a user for whoever calls us on their own; null when we do not listen, or do not know our address. */
  listeningUriOf(user: string): string | null {
    const port = this.#listening.listeningPort(this.#transport);
    return port === null || this.host === '' ? null : this.#uri(user, `${hostInUri(this.host)}:${port}`);
  }

  #uri(user: string, place: string): string {
    return `sip:${user}@${place}${this.#transport === 'udp' ? '' : `;transport=${this.#transport}`}`;
  }
}
