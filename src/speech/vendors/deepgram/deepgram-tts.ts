import type { CancelTimer, Clock } from '../../../base/time.ts';
import type { AudioFormat } from '../../audio-format.ts';
import type { SpeechPreset } from '../../speech-preset.ts';
import type { StreamSynthesizer, TtsDialect, TtsParts, TtsVendor } from '../../tts/stream-synthesizer.ts';
import type { SpokenPiece } from '../../tts/synthesizer.ts';
import { isTrueAt, numberAt, textAt, type VendorMessage } from '../../vendor-message.ts';
import { faultOfMessage, socketUrl } from '../vendor-manners.ts';
import { DEEPGRAM } from './deepgram-manners.ts';

/** How long Deepgram may take to confirm a Clear. */
const CLEARED_MS = 1_000;
/** Deepgram ignores the 21st Flush within a minute. */
const MAX_FLUSHES = 20;
const WINDOW_MS = 60_000;

/**
 * Text-to-speech by Deepgram's Aura voices. The audio has no ids: what comes between a Clear and its confirmation belongs
 * to what was cancelled. There is no alignment.
 *
 * Source: https://developers.deepgram.com/reference/text-to-speech/speak-streaming
 */
export const deepgramTts: TtsVendor = {
  manners: DEEPGRAM,
  // Aura speaks at 24 kHz.
  ratesHz: [16_000, 24_000],
  newDialect: (parts) => new Aura(parts),
};

class Aura implements TtsDialect {
  readonly url: string;
  readonly keepAlive = null;
  readonly farewell = '{"type":"Close"}';
  readonly #clock: Clock;
  readonly #speech: StreamSynthesizer;
  /** When the last ones were sent on this connection. */
  #flushedAtMs: number[] = [];
  /** Flushes that have not been confirmed. */
  #flushes = 0;
  #mustFlush = false;
  #isLastSaid = false;
  #isClearing = false;
  #cancelTimer: CancelTimer = () => {};

  constructor({ preset, format, clock, speech }: TtsParts) {
    this.url = urlOf(preset, format);
    this.#clock = clock;
    this.#speech = speech;
  }

  isReady(isFirst: boolean): boolean {
    return !isFirst || !this.#isClearing;
  }

  opened(): void {
    this.#forget();
    this.#flushedAtMs = [];
    this.#isClearing = false;
  }

  say({ text, isLast }: SpokenPiece, isFirst: boolean): void {
    if (isFirst) this.#forget();
    // A piece is shorter than the 2,000 characters that Deepgram takes per message.
    if (text.trim() !== '') this.#speech.send({ type: 'Speak', text: `${text.trim()} ` });
    this.#isLastSaid = isLast;
    this.#mustFlush = true;
    this.#flush();
  }

  abandon(): void {
    this.#forget();
    this.#isClearing = true;
    this.#speech.send({ type: 'Clear' });
    const words = 'Deepgram did not stop speaking';
    this.#cancelTimer = this.#clock.after(CLEARED_MS, () =>
      this.#speech.drop({ kind: 'unreachable', words }),
    );
  }

  message(message: VendorMessage): void {
    switch (textAt(message, 'type') ?? '') {
      case 'Flushed':
        if (!this.#isClearing) this.#flushed();
        break;
      case 'Cleared':
        this.#cancelTimer();
        this.#isClearing = false;
        this.#speech.advance();
        break;
      case 'Error':
        this.#speech.drop(faultOfMessage(DEEPGRAM, message));
        break;
      default:
    }
  }

  binary(data: Uint8Array): void {
    if (!this.#isClearing && this.#speech.isSpeaking) this.#speech.audio(data);
  }

  close(): void {
    this.#cancelTimer();
  }

  /** Without a Flush, Deepgram waits for more text. */
  #flush(): void {
    this.#cancelTimer();
    const nowMs = this.#clock.monotonicMs();
    const oldestMs = this.#flushedAtMs.length < MAX_FLUSHES ? undefined : this.#flushedAtMs[0];
    const waitMs = oldestMs === undefined ? 0 : oldestMs + WINDOW_MS - nowMs;
    if (waitMs > 0) {
      this.#cancelTimer = this.#clock.after(waitMs, () => this.#flush());
      return;
    }
    this.#mustFlush = false;
    this.#flushes += 1;
    this.#flushedAtMs = [...this.#flushedAtMs, nowMs].slice(-MAX_FLUSHES);
    this.#speech.send({ type: 'Flush' });
  }

  #flushed(): void {
    this.#flushes = Math.max(0, this.#flushes - 1);
    if (!this.#isLastSaid || this.#mustFlush || this.#flushes > 0) return;
    this.#forget();
    this.#speech.end();
  }

  /** Forgets the current utterance. */
  #forget(): void {
    this.#cancelTimer();
    this.#flushes = 0;
    this.#mustFlush = false;
    this.#isLastSaid = false;
  }
}

function urlOf({ url, options }: SpeechPreset, { encoding, sampleRateHz }: AudioFormat): string {
  const speed = numberAt(options, 'speed') ?? 1;
  return socketUrl(url, '/v1/speak', {
    model: modelOf(textAt(options, 'voice') ?? 'thalia-en'),
    encoding: encoding === 'mulaw' ? 'mulaw' : 'linear16',
    sample_rate: sampleRateHz,
    speed: speed === 1 ? null : speed,
    mip_opt_out: isTrueAt(options, 'mip_opt_out'),
  });
}

/** A voice by its short name is one of Aura 2. */
function modelOf(voice: string): string {
  return /^(?:aura|flux)-/.test(voice) ? voice : `aura-2-${voice}`;
}
