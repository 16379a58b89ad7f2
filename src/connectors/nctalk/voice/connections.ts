import type { IceServer } from '../../../media/ice.ts';
import type { Certificate } from '../../../webrtc/dtls-session.ts';
import { PeerConnection, type PeerObserver } from '../../../webrtc/peer-connection.ts';
import { MAX_SUBSCRIPTIONS, OWN } from './talk-protocol.ts';

interface ConnectionsDeps {
  readonly iceServers: readonly IceServer[];
  readonly certificate: Certificate;
}

/** The peer connections of a call by their name: the agent's own, and one for each person. Each takes the place of a former one. */
export class Connections {
  readonly #deps: ConnectionsDeps;
  readonly #all = new Map<string, Promise<PeerConnection>>();
  /** The agent's own, for its packets. */
  own: PeerConnection | null = null;

  constructor(deps: ConnectionsDeps) {
    this.#deps = deps;
  }

  /** Rejects when there are too many, no socket is to be had, or the connection was replaced or removed while it opened. */
  async open(name: string, observer: PeerObserver): Promise<PeerConnection> {
    this.remove(name);
    const people = this.#all.size - (this.#all.has(OWN) ? 1 : 0);
    if (name !== OWN && people >= MAX_SUBSCRIPTIONS)
      throw new Error(`no more than ${MAX_SUBSCRIPTIONS} people can be heard at once`);
    const failed = (reason: string): void => {
      if (this.#all.get(name) === opening) this.remove(name);
      observer.failed(reason);
    };
    const opening = PeerConnection.open({ ...this.#deps, observer: { ...observer, failed } }, name === OWN);
    this.#all.set(name, opening);
    const connection = await opening.catch((error) => {
      if (this.#all.get(name) === opening) this.#all.delete(name);
      throw error;
    });
    if (this.#all.get(name) !== opening) throw new Error('the connection was replaced');
    if (name === OWN) this.own = connection;
    return connection;
  }

  /** Rejects when there is no such connection. */
  async get(name: string): Promise<PeerConnection> {
    const connection = this.#all.get(name);
    if (connection === undefined) throw new Error('there is no such connection');
    return await connection;
  }

  /** Ends the connection, also while it opens. */
  remove(name: string): void {
    const connection = this.#all.get(name);
    this.#all.delete(name);
    if (name === OWN) this.own = null;
    connection?.then((open) => open.close()).catch(() => undefined);
  }

  close(): void {
    for (const name of [...this.#all.keys()]) this.remove(name);
  }
}
