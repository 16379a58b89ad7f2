import { connect, type Socket } from 'node:net';
import { within } from '../../test/support/wait-for.ts';

export interface RawOptions {
  readonly localAddress?: string;
  /** Does not read until `read` is called. */
  readonly isDeaf?: boolean;
}

/** A TCP connection to the gateway with control over what is sent and when it is read. */
export class RawConnection {
  readonly socket: Socket;
  readonly closed: Promise<void>;
  #receivedBytes = 0;
  #text = '';
  #isClosed = false;

  private constructor(socket: Socket) {
    this.socket = socket;
    this.closed = new Promise((resolve) =>
      socket.once('close', () => {
        this.#isClosed = true;
        resolve();
      }),
    );
    socket.on('error', () => {});
  }

  static async open(port: number, { localAddress, isDeaf = false }: RawOptions = {}): Promise<RawConnection> {
    const socket = connect({ port, host: '127.0.0.1', ...(localAddress && { localAddress }) });
    const connection = new RawConnection(socket);
    const opened = new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    await within('a connection', opened, 10_000);
    if (isDeaf) socket.pause();
    else connection.read();
    return connection;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get receivedBytes(): number {
    return this.#receivedBytes;
  }

  /** The first 64 KB received. */
  get text(): string {
    return this.#text;
  }

  send(bytes: string | Buffer): void {
    this.socket.write(bytes);
  }

  /** Starts to read. */
  read(): void {
    if (this.socket.listenerCount('data') > 0) return;
    this.socket.on('data', (bytes: Buffer) => {
      this.#receivedBytes += bytes.length;
      if (this.#text.length < 65_536) this.#text += bytes.toString('latin1');
    });
    this.socket.resume();
  }

  /** Reads, and returns whether the gateway closes the connection in time. */
  async closesWithin(deadlineMs: number): Promise<boolean> {
    this.read();
    return await within('the end', this.closed, deadlineMs).then(
      () => true,
      () => false,
    );
  }

  destroy(): void {
    this.socket.destroy();
  }
}

/** Opens many connections in parallel. Those that are refused are left out. */
export async function openMany(
  port: number,
  count: number,
  options: RawOptions = {},
): Promise<RawConnection[]> {
  const opened: RawConnection[] = [];
  for (let at = 0; at < count; at += 100) {
    const batch = Array.from({ length: Math.min(100, count - at) }, () => RawConnection.open(port, options));
    for (const each of await Promise.allSettled(batch))
      if (each.status === 'fulfilled') opened.push(each.value);
  }
  return opened;
}
