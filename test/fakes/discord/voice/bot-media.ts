import { randomBytes } from 'node:crypto';
import { SILENCE } from './frame-cipher.ts';
import type { MediaAddress, MediaClient, MediaSocket } from './media-socket.ts';
import { type MediaFrame, readFrame, readRtpHeader, writeDatagram } from './rtp-datagram.ts';
import { TRANSPORT_KEY_BYTES, TransportCipher, type TransportMode } from './transport-cipher.ts';

/** A packet of a bot, as it arrived. */
export interface ReceivedPacket {
  /** On the clock of `performance.now()`. */
  readonly atMs: number;
  readonly sequence: number;
  readonly timestamp: number;
  /** Of the frame: the Opus payload with what DAVE adds to it. */
  readonly bytes: number;
  readonly isSilence: boolean;
}

/** A minute. */
const KEPT_PACKETS = 3_000;

/** The UDP half of a bot's session: the transport's encryption, and where the bot is. */
export class BotMedia implements MediaClient {
  readonly ssrc: number;
  /** The last ones that could be decrypted. */
  readonly packets: ReceivedPacket[] = [];
  /** Datagrams under this SSRC from elsewhere, with a wrong key, or with lengths that cannot be. */
  strays = 0;
  readonly #socket: MediaSocket;
  readonly #onFrame: (frame: MediaFrame) => void;
  #address: MediaAddress | null = null;
  #cipher: TransportCipher | null = null;

  constructor(socket: MediaSocket, ssrc: number, onFrame: (frame: MediaFrame) => void) {
    this.#socket = socket;
    this.ssrc = ssrc;
    this.#onFrame = onFrame;
    socket.add(ssrc, this);
  }

  /** Where the bot is, as it has been told; null before. */
  get address(): MediaAddress | null {
    return this.#address;
  }

  /** Starts encryption in this mode and returns the key. */
  start(mode: TransportMode): Buffer {
    const key = randomBytes(TRANSPORT_KEY_BYTES);
    this.#cipher = new TransportCipher(mode, key);
    return key;
  }

  discovered(at: MediaAddress): void {
    this.#address = at;
  }

  received(datagram: Buffer, from: MediaAddress): void {
    const frame = this.#open(datagram, from);
    if (!frame) {
      this.strays += 1;
      return;
    }
    const { sequence, timestamp, bytes } = frame;
    this.packets.push({
      atMs: performance.now(),
      sequence,
      timestamp,
      bytes: bytes.length,
      isSilence: bytes.equals(SILENCE),
    });
    if (this.packets.length > KEPT_PACKETS) this.packets.shift();
    this.#onFrame(frame);
  }

  send(frame: MediaFrame): void {
    if (!this.#cipher || !this.#address) return;
    const { header, plain } = writeDatagram(frame);
    this.#socket.send(this.#cipher.seal(header, plain), this.#address);
  }

  close(): void {
    this.#socket.remove(this.ssrc);
    this.#cipher = null;
  }

  #open(datagram: Buffer, from: MediaAddress): MediaFrame | null {
    const isTheirs = from.address === this.#address?.address && from.port === this.#address.port;
    const header = readRtpHeader(datagram);
    const plain = header && isTheirs ? this.#cipher?.open(datagram, header.bytes) : null;
    return header && plain ? readFrame(header, plain) : null;
  }
}
