import { DtmfReceiver } from '../dtmf/dtmf-receiver.ts';

/** Streams that are told apart at a time. Another one takes the place of the one that has been silent for longest. */
const PLACES = 4;
/** Audio packets, 60 ms in all, after which a stream follows one that has ended: three may come at once, beside a voice. */
const PACKETS_NEEDED = 3;
/** Ticks without a packet of the voice before that. */
const SILENT_TICKS = 2;
/** A stream that was sent beside the voice follows it only after this silence. */
const SILENCE_MS = 1_000;

/** One stream of the peer, known by its SSRC (RFC 3550 section 8.2). Objects are reused. */
export class PeerStream {
  ssrc = -1;
  heardAtMs = 0;
  readonly dtmf = new DtmfReceiver();
  /** Packets with audio since the voice's last one. */
  row = 0;
  /** It has been sent while the voice was. */
  isBeside = false;

  begin(ssrc: number): void {
    this.ssrc = ssrc;
    this.row = 0;
    this.isBeside = false;
    this.dtmf.restart();
  }
}

/**
 * The streams that arrive from the peer's address. One of them is the voice, which is played. Digits count in any of them. A
 * stream beside the voice never disturbs it; one that comes in its place takes over.
 */
export class PeerStreams {
  /** Null before the first audio. */
  voice: PeerStream | null = null;
  /** Since the last audio of the voice. */
  #silentTicks = 0;
  readonly #places = Array.from({ length: PLACES }, () => new PeerStream());
  #last: PeerStream = this.#places[0]!;

  clear(): void {
    for (const place of this.#places) place.begin(-1);
    this.voice = null;
  }

  /** The stream of a packet. */
  of(ssrc: number, nowMs: number): PeerStream {
    if (this.#last.ssrc !== ssrc) this.#last = this.#find(ssrc);
    this.#last.heardAtMs = nowMs;
    return this.#last;
  }

  /** Call it every 20 ms. */
  tick(): void {
    this.#silentTicks++;
  }

  /** Notes a packet with audio. Returns whether its stream has become the voice by it. */
  noteAudio(stream: PeerStream, nowMs: number): boolean {
    if (stream !== this.voice) return this.#mayTakeOver(stream, nowMs);
    this.#silentTicks = 0;
    for (const other of this.#places) {
      if (other.row === 0) continue;
      other.row = 0;
      other.isBeside = true;
    }
    return false;
  }

  #mayTakeOver(stream: PeerStream, nowMs: number): boolean {
    const former = this.voice;
    stream.row++;
    const isSoon = stream.row < PACKETS_NEEDED || this.#silentTicks < SILENT_TICKS;
    if (former !== null && isSoon) return false;
    if (former !== null && stream.isBeside && nowMs - former.heardAtMs < SILENCE_MS) return false;
    stream.row = 0;
    stream.isBeside = false;
    this.#silentTicks = 0;
    this.voice = stream;
    return true;
  }

  #find(ssrc: number): PeerStream {
    let oldest: PeerStream | null = null;
    for (const place of this.#places) {
      if (place.ssrc === ssrc) return place;
      if (place !== this.voice && (oldest === null || place.heardAtMs < oldest.heardAtMs)) oldest = place;
    }
    oldest!.begin(ssrc);
    return oldest!;
  }
}
