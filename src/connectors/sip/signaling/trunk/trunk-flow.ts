import type { StreamTransport } from '../transport/stream-transport.ts';
import type { Connection, Destination } from '../transport/wire.ts';

/** Who is told of the connection. */
interface FlowObserver {
  connected(connection: Connection): void;
  disconnected(): void;
}

/** The single TCP or TLS connection from a trunk to its server. */
export class TrunkFlow {
  readonly #streams: StreamTransport;
  readonly #observer: FlowObserver;
  #current: { destination: Destination; connection: Connection } | null = null;
  #opening: { destination: Destination; promise: Promise<Connection> } | null = null;
  #closed = false;

  constructor(streams: StreamTransport, observer: FlowObserver) {
    this.#streams = streams;
    this.#observer = observer;
  }

  /** The open connection, whatever its destination; null when there is none. */
  get connection(): Connection | null {
    return this.#current?.connection.open ? this.#current.connection : null;
  }

  /** Returns the connection to `destination`, opening it if necessary. Rejects when it cannot be opened. */
  open(destination: Destination): Promise<Connection> {
    if (this.#closed) return Promise.reject(new Error('trunk is closed'));
    if (this.connection !== null && isSame(this.#current!.destination, destination)) {
      return Promise.resolve(this.connection);
    }
    if (this.#opening !== null && isSame(this.#opening.destination, destination))
      return this.#opening.promise;
    const promise = this.#connect(destination).finally(() => {
      if (this.#opening?.promise === promise) this.#opening = null;
    });
    this.#opening = { destination, promise };
    return promise;
  }

  close(): void {
    this.#closed = true;
    this.#current?.connection.destroy();
    this.#current = null;
  }

  async #connect(destination: Destination): Promise<Connection> {
    const connection: Connection = await this.#streams.connect(destination, () => this.#lost(connection));
    if (this.#closed) connection.destroy();
    this.#current?.connection.destroy();
    this.#current = { destination, connection };
    this.#observer.connected(connection);
    return connection;
  }

  #lost(connection: Connection): void {
    if (this.#current?.connection !== connection) return;
    this.#current = null;
    if (!this.#closed) this.#observer.disconnected();
  }
}

function isSame(a: Destination, b: Destination): boolean {
  return a.protocol === b.protocol && a.host === b.host && a.port === b.port;
}
