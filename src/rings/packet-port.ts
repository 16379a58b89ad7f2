import { wallMs } from '../base/wall-ms.ts';
import type { PacketRings } from '../media/packet-media.ts';
import { Doorbell } from './doorbell.ts';
import { type PacketRecord, PacketRingConsumer, PacketRingProducer } from './packet-ring.ts';

/** The bridge thread's end of a call's packet rings. */
export class PacketPort {
  readonly #received: PacketRingProducer;
  readonly #sent: PacketRingConsumer;
  readonly #doorbell: Doorbell;

  constructor({ received, sent, doorbell }: PacketRings) {
    this.#received = new PacketRingProducer(received);
    this.#sent = new PacketRingConsumer(sent);
    this.#doorbell = new Doorbell(doorbell);
  }

  /**
   * Passes on an RTP packet of the platform: the first `length` bytes, decrypted, without an SRTP tag. They may be
   * reused at once. `arrivalMs` is the time at which it arrived, see `wallMs`. Returns false when it was dropped: the
   * engine is behind, or the packet is longer than MAX_PACKET_BYTES.
   */
  receive(packet: Uint8Array, length = packet.length, arrivalMs = wallMs()): boolean {
    return this.#received.write(packet, length, arrivalMs);
  }

  /**
   * Calls `take` for every RTP packet that the platform should be sent. The record is valid only during the call, and
   * its bytes are shared memory, which some APIs refuse: copy what is needed.
   */
  listen(take: (packet: PacketRecord) => void): void {
    this.#doorbell.listen(() => {
      while (this.#sent.next()) take(this.#sent);
    });
  }

  close(): void {
    this.#doorbell.stop();
  }
}
