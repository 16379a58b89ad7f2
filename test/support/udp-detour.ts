import { createSocket, type Socket } from 'node:dgram';
import { FaultyPath, type NetworkFaults } from '../fakes/discord/voice/udp-faults.ts';

interface Place {
  readonly address: string;
  readonly port: number;
}

/** A way to one UDP address with a bad network on it, in both directions. The one who comes first is the one it leads back to. */
export class UdpDetour {
  readonly #socket: Socket;
  readonly #target: Place;
  readonly #there: FaultyPath;
  readonly #back: FaultyPath;
  #near: Place | null = null;

  private constructor(socket: Socket, target: Place, faults: NetworkFaults) {
    this.#socket = socket;
    this.#target = target;
    this.#there = new FaultyPath(faults);
    this.#back = new FaultyPath({ ...faults, seed: faults.seed + 1 });
    socket.on('message', (data, { address, port }) => this.#take(data, { address, port }));
  }

  static async open(target: Place, faults: NetworkFaults): Promise<UdpDetour> {
    const socket = createSocket('udp4');
    await new Promise<void>((resolve) => void socket.bind(0, resolve));
    return new UdpDetour(socket, target, faults);
  }

  get port(): number {
    return this.#socket.address().port;
  }

  /** Says something to the near end as if it came from the far one. */
  inject(data: Uint8Array): void {
    const near = this.#near;
    if (near !== null) this.#socket.send(data, near.port, near.address);
  }

  close(): void {
    this.#there.close();
    this.#back.close();
    this.#socket.close();
  }

  #take(data: Buffer, from: Place): void {
    if (from.port === this.#target.port) return this.#back.pass(() => this.inject(data));
    this.#near = from;
    this.#there.pass(() => this.#socket.send(data, this.#target.port, this.#target.address));
  }
}
