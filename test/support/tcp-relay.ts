import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Passes TCP connections on to a port of this machine, until it cuts them. */
export class TcpRelay {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server, targetPort: number) {
    this.#server = server;
    server.on('connection', (near) => this.#relay(near, connect(targetPort, '127.0.0.1')));
  }

  static async start(targetPort: number): Promise<TcpRelay> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TcpRelay(server, targetPort);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** How many connections there are. */
  get connections(): number {
    return this.#sockets.size / 2;
  }

  /** Breaks all that there are; new ones get through. */
  cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  async stop(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #relay(near: Socket, far: Socket): void {
    for (const socket of [near, far]) {
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => {
        this.#sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far);
    far.pipe(near);
  }
}
