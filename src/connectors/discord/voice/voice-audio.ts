import { MAX_OPUS_PACKET_BYTES } from '../../../audio/libopus.ts';
import { isOpusPause } from '../../../audio/opus-packet.ts';
import { RTP_HEADER_BYTES, readUint32 } from '../../../rtp/rtp-packet.ts';
import type { Streams } from './streams.ts';
import { OPUS_PAYLOAD_TYPE } from './voice-protocol.ts';
import type { VoiceSession } from './voice-session.ts';

const SSRC_OFFSET = 8;
const VERSION = 2;
const TYPE_MASK = 0x7f;
const MAX_PACKET_BYTES = 1_500;
/** Packets of streams whose user is not known yet. They come some milliseconds before Discord names the user. */
const MAX_EARLY = 16;
const EARLY_MS = 500;

interface EarlyPacket {
  readonly bytes: Buffer;
  readonly arrivalMs: number;
}

interface InboundDeps {
  readonly session: Pick<VoiceSession, 'decrypt'>;
  readonly streams: Streams;
  /** Takes an RTP packet without encryption and extensions: the first `length` bytes, valid during the call. */
  readonly deliver: (packet: Uint8Array, length: number, arrivalMs: number) => void;
}

/** What people say: from the datagrams of the voice server to the packets of the engine. */
export class InboundAudio {
  readonly #deps: InboundDeps;
  readonly #packet = Buffer.alloc(MAX_PACKET_BYTES);
  #early: EarlyPacket[] = [];

  constructor(deps: InboundDeps) {
    this.#deps = deps;
    // RTP version 2, no padding, extension or CSRCs.
    this.#packet[0] = VERSION << 6;
  }

  /** Takes a datagram, whatever it is. */
  receive(datagram: Buffer, arrivalMs: number): void {
    if (!isOpus(datagram)) return;
    const userId = this.#deps.streams.userOf(readUint32(datagram, SSRC_OFFSET));
    if (userId === undefined) this.#keep(datagram, arrivalMs);
    else this.#open(datagram, userId, arrivalMs);
  }

  /** The user of a stream is known now: takes the packets that came before. */
  named(ssrc: number, userId: string): void {
    const early = this.#early;
    this.#early = early.filter(({ bytes }) => readUint32(bytes, SSRC_OFFSET) !== ssrc);
    for (const { bytes, arrivalMs } of early)
      if (readUint32(bytes, SSRC_OFFSET) === ssrc) this.#open(bytes, userId, arrivalMs);
  }

  #keep(bytes: Buffer, arrivalMs: number): void {
    if (this.#early.length === MAX_EARLY) this.#early.shift();
    if (arrivalMs - (this.#early[0]?.arrivalMs ?? arrivalMs) > EARLY_MS) this.#early = [];
    this.#early.push({ bytes, arrivalMs });
  }

  #open(datagram: Buffer, userId: string, arrivalMs: number): void {
    const payload = this.#deps.session.decrypt(datagram, userId);
    const length = RTP_HEADER_BYTES + (payload?.length ?? 0);
    if (payload === null || length > MAX_PACKET_BYTES) return;
    const packet = this.#packet;
    for (let i = 1; i < RTP_HEADER_BYTES; i++) packet[i] = datagram[i]!;
    packet.set(payload, RTP_HEADER_BYTES);
    this.#deps.streams.heard(readUint32(datagram, SSRC_OFFSET), payload, arrivalMs);
    this.#deps.deliver(packet, length, arrivalMs);
  }
}

function isOpus(datagram: Buffer): boolean {
  return (
    datagram.length > RTP_HEADER_BYTES &&
    datagram[0]! >> 6 === VERSION &&
    (datagram[1]! & TYPE_MASK) === OPUS_PAYLOAD_TYPE
  );
}

/** An Opus frame of silence. https://docs.discord.com/developers/topics/voice-connections#voice-data-interpolation */
const SILENCE = Buffer.from([0xf8, 0xff, 0xfe]);
/** Sent when speaking stops, so that receivers do not interpolate between two utterances. */
const SILENCE_FRAMES = 5;
const FRAME_TICKS = 960;
const TIMESTAMP_OFFSET = 4;

/** An RTP packet: `bytes` from `start` to `end`. */
interface WrittenPacket {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
}

/** What the agent says: Opus packets of the engine, which arrive every 20 ms also while it is silent. */
export class OutboundAudio {
  readonly #session: Pick<VoiceSession, 'send' | 'stopSpeaking'>;
  readonly #bytes = Buffer.alloc(MAX_OPUS_PACKET_BYTES);
  /** Views of `#bytes` by their length. */
  readonly #views: Buffer[] = [];
  #silenceToSend = 0;
  /** Timestamp of the last packet that was sent. The engine's clock goes on in pauses, the library's does not. */
  #lastTimestamp: number | null = null;

  constructor(session: Pick<VoiceSession, 'send' | 'stopSpeaking'>) {
    this.#session = session;
  }

  /** Sends an RTP packet of the engine, whose header is fixed. */
  readonly send = ({ bytes, start, end }: WrittenPacket): void => {
    const length = end - start - RTP_HEADER_BYTES;
    if (length < 1 || length > MAX_OPUS_PACKET_BYTES) return;
    const timestamp = readUint32(bytes, start + TIMESTAMP_OFFSET);
    if (isOpusPause(length)) return this.#pause(timestamp);
    for (let i = 0; i < length; i++) this.#bytes[i] = bytes[start + RTP_HEADER_BYTES + i]!;
    this.#views[length] ??= this.#bytes.subarray(0, length);
    if (this.#play(this.#views[length], timestamp)) this.#silenceToSend = SILENCE_FRAMES;
  };

  #pause(timestamp: number): void {
    if (this.#silenceToSend === 0) return;
    this.#play(SILENCE, timestamp);
    this.#silenceToSend--;
    if (this.#silenceToSend === 0) this.#session.stopSpeaking();
  }

  /** Returns false when nothing can be sent now. */
  #play(payload: Buffer, timestamp: number): boolean {
    const last = this.#lastTimestamp ?? timestamp - FRAME_TICKS;
    if (!this.#session.send(payload, timestamp - last - FRAME_TICKS)) return false;
    this.#lastTimestamp = timestamp;
    return true;
  }
}
