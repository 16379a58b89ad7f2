import { Decoder } from '@evan/opus';
import type { ReceivedFrame } from './frame-receiver.ts';
import { ReceptionOrder } from './reception-order.ts';
import type { MediaFrame } from './rtp-datagram.ts';

const RATE_HZ = 48_000;
const FRAME_SAMPLES = 960;
/** A minute; older audio is dropped. */
const KEPT_FRAMES = 3_000;

/** A frame that could not be played. */
export interface HearingFault {
  /** On the clock of `performance.now()`. */
  readonly atMs: number;
  readonly kind: Exclude<ReceivedFrame['kind'], 'opus' | 'silence'> | 'lost' | 'undecodable';
}

export interface HeardFrame {
  readonly atMs: number;
  /** Mono at 48 kHz. */
  readonly samples: Int16Array;
}

/** What a person hears of one other participant, as the person's own keys and Opus decoder make it. */
export class Listener {
  readonly faults: HearingFault[] = [];
  readonly speaking: { readonly atMs: number; readonly isSpeaking: boolean }[] = [];
  frames: HeardFrame[] = [];
  /** Frames of Opus silence, sent when somebody stops. */
  silences = 0;
  #order = new ReceptionOrder();
  #ssrc: number | null = null;
  readonly #decoder = new Decoder({ channels: 1, sample_rate: RATE_HZ });
  readonly #decrypt: (frame: Buffer) => ReceivedFrame;

  constructor(decrypt: (frame: Buffer) => ReceivedFrame) {
    this.#decrypt = decrypt;
  }

  /** All that was heard, one frame after the other: pauses in which nothing was sent take no time. */
  get samples(): Int16Array {
    const all = new Int16Array(this.frames.reduce((sum, { samples }) => sum + samples.length, 0));
    let at = 0;
    for (const { samples } of this.frames) {
      all.set(samples, at);
      at += samples.length;
    }
    return all;
  }

  /** Forgets what was heard so far. */
  clear(): void {
    this.frames = [];
  }

  hear(frame: MediaFrame): void {
    // With a new session the sequence numbers begin anew.
    if (frame.ssrc !== this.#ssrc) this.#order = new ReceptionOrder();
    this.#ssrc = frame.ssrc;
    for (const next of this.#order.add(frame)) {
      if (next) this.#play(this.#decrypt(next.bytes));
      else this.#fail('lost');
    }
  }

  #play(received: ReceivedFrame): void {
    if (received.kind !== 'opus' && received.kind !== 'silence') {
      this.#fail(received.kind);
      return;
    }
    if (received.kind === 'silence') this.silences += 1;
    try {
      const pcm = this.#decoder.decode(received.bytes);
      this.#keep(new Int16Array(pcm.buffer.slice(pcm.byteOffset, pcm.byteOffset + pcm.byteLength)));
    } catch {
      this.#fail('undecodable');
    }
  }

  /** In place of the frame there is silence. */
  #fail(kind: HearingFault['kind']): void {
    this.faults.push({ atMs: performance.now(), kind });
    this.#keep(new Int16Array(FRAME_SAMPLES));
  }

  #keep(samples: Int16Array): void {
    this.frames.push({ atMs: performance.now(), samples });
    if (this.frames.length > KEPT_FRAMES) this.frames.shift();
  }
}
