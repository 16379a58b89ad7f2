import type { PacketRings } from '../../media/packet-media.ts';
import { Doorbell } from '../../rings/doorbell.ts';
import { type PacketRecord, PacketRingConsumer, PacketRingProducer } from '../../rings/packet-ring.ts';

const MAX_PACKETS_PER_TICK = 64;
/** About what a ring holds. So much may have gathered while the engine or the bridge thread was held up or replaced. */
const BURST_PACKETS = 512;

/**
 * In the call's shared memory, behind the voices' places: how many drops of either ring have been reported, modulo 2^32. So
 * the drops while a thread is replaced are counted by the next one.
 */
const TOLD_OFFSET_BYTES = 192;
const TOLD_RECEIVED = 0;
const TOLD_SENT = 1;
const TOLD_WORDS = 2;

/** The engine's end of a call's packet rings. */
export class RingPath {
  readonly #received: PacketRingConsumer;
  readonly #sent: PacketRingProducer;
  readonly #doorbell: Doorbell;
  readonly #told: Uint32Array;
  /** Drops that the legs of former threads have reported. */
  readonly #receivedDroppedBefore: number;
  readonly #sentDroppedBefore: number;
  #allowed = BURST_PACKETS;

  /** `memory`: the call's, of MEDIA_MEMORY_BYTES. */
  constructor({ received, sent, doorbell }: PacketRings, memory: SharedArrayBuffer) {
    this.#received = new PacketRingConsumer(received);
    this.#sent = new PacketRingProducer(sent);
    this.#doorbell = new Doorbell(doorbell);
    this.#told = new Uint32Array(memory, TOLD_OFFSET_BYTES, TOLD_WORDS);
    this.#receivedDroppedBefore = this.#told[TOLD_RECEIVED]!;
    this.#sentDroppedBefore = this.#told[TOLD_SENT]!;
  }

  /**
   * Passes on the packets that have arrived since the last call: `perTick` of them call after call, and a burst once, 64
   * at a time. The rest of a flood waits in the ring, which drops and counts what it cannot hold. A record is valid only
   * during its call.
   */
  receive(take: (packet: PacketRecord) => void, perTick: number): void {
    this.#allowed = Math.min(BURST_PACKETS, this.#allowed + perTick);
    const most = Math.min(MAX_PACKETS_PER_TICK, this.#allowed);
    for (let count = 0; count < most && this.#received.next(); count++) {
      this.#allowed--;
      take(this.#received);
    }
  }

  /** Sends the first `length` bytes. The buffer may be reused at once. Returns false when the packet was dropped. */
  send(bytes: Uint8Array, length: number, nowMs: number): boolean {
    const isSent = this.#sent.write(bytes, length, nowMs);
    if (isSent) this.#doorbell.ring();
    return isSent;
  }

  /** Packets dropped because the bridge thread had not read earlier ones. */
  get unsent(): number {
    this.#told[TOLD_SENT] = this.#sent.dropped;
    return (this.#told[TOLD_SENT] - this.#sentDroppedBefore) >>> 0;
  }

  /** Packets that the bridge thread dropped because earlier ones had not been read. */
  get overflowed(): number {
    this.#told[TOLD_RECEIVED] = this.#received.dropped;
    return (this.#told[TOLD_RECEIVED] - this.#receivedDroppedBefore) >>> 0;
  }
}
