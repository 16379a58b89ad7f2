import { BroadcastChannel } from 'node:worker_threads';
import { FRAME_MS } from '../../../src/base/frame.ts';
import { wallMs } from '../../../src/base/wall-ms.ts';
import { Interjection } from '../../../src/speech/hearing/interjection.ts';
import { interruptionOf } from '../../../src/speech/hearing/interruption.ts';
import type { NewVoiceDetector, VoiceDetector } from '../../../src/speech/hearing/voice-detector.ts';

/** A voice has been noticed over what is spoken: the `index`-th of the thread, at a time of `wallMs`. */
export interface Notice {
  readonly index: number;
  readonly atMs: number;
}

const NAME = 'noticed voices';

/** Where detectors tell what they notice. Close it, or let it not keep the thread alive. */
export function noticeChannel(): BroadcastChannel {
  return new BroadcastChannel(NAME);
}

/** Detectors as they are, which tell when the voice is noticed that makes an utterance pause. */
export function noted(newDetector: NewVoiceDetector): NewVoiceDetector {
  const channel = noticeChannel();
  channel.unref();
  let count = 0;
  return (rateHz) => {
    const index = count++;
    return new NotedDetector(newDetector(rateHz), () =>
      channel.postMessage({ index, atMs: wallMs() } satisfies Notice),
    );
  };
}

class NotedDetector implements VoiceDetector {
  readonly #detector: VoiceDetector;
  readonly #notice: () => void;
  /** The same as in the ear, with the same to judge. */
  readonly #interjection = new Interjection(interruptionOf({}));
  #heardMs = 0;

  constructor(detector: VoiceDetector, notice: () => void) {
    this.#detector = detector;
    this.#notice = notice;
  }

  get isSpeaking(): boolean {
    return this.#detector.isSpeaking;
  }

  get isVoiced(): boolean {
    return this.#detector.isVoiced;
  }

  get isHeard(): boolean {
    return this.#detector.isHeard;
  }

  get isSending(): boolean {
    return this.#detector.isSending;
  }

  hear(frame: Int16Array): 'started' | 'ended' | null {
    const change = this.#detector.hear(frame);
    this.#heardMs += FRAME_MS;
    if (this.#interjection.take(this.isVoiced, this.isSending, this.#heardMs) === 'pause') this.#notice();
    return change;
  }

  sent(power: number): void {
    this.#detector.sent(power);
  }

  turn(state: 'started' | 'ended'): 'started' | 'ended' | null {
    return this.#detector.turn(state);
  }

  close(): void {
    this.#detector.close();
  }
}
