import type { CancelTimer } from '../../../base/time.ts';
import { type AudioFormat, bytesPerSample, nearestFormat } from '../../audio-format.ts';
import type { SpeechPreset } from '../../speech-preset.ts';
import { isTrueAt, numberAt, textAt, type VendorMessage } from '../../vendor-message.ts';
import type { VendorSocketDeps } from '../../vendor-socket.ts';
import { socketUrl } from '../../vendor-url.ts';
import { DEEPGRAM } from '../../vendors/deepgram/deepgram-manners.ts';
import { endpointOf, faultOfMessage } from '../../vendors/vendor-manners.ts';
import type { SpokenPiece, Synthesizer, SynthesizerObserver } from '../synthesizer.ts';
import { UtteranceLink } from '../utterance-link.ts';
import { WholeSamples } from '../whole-samples.ts';
import { FlushLimit } from './flush-limit.ts';

/** Aura speaks at 24 kHz. */
const RATES_HZ = [16_000, 24_000] as const;
/** How long Deepgram may take to confirm a Clear. */
const CLEARED_MS = 1_000;
const FLUSH = '{"type":"Flush"}';
const CLEAR = '{"type":"Clear"}';
const CLOSE = '{"type":"Close"}';

/**
 * Text-to-speech by Deepgram's Aura voices. The audio has no ids: what comes between a Clear and its confirmation belongs
 * to what was cancelled. There is no alignment.
 *
 * Source: https://developers.deepgram.com/reference/text-to-speech/speak-streaming
 */
export class DeepgramSynthesizer implements Synthesizer {
  readonly format: AudioFormat;
  readonly #deps: VendorSocketDeps;
  readonly #link: UtteranceLink;
  #samples: WholeSamples;
  #flushLimit = new FlushLimit();
  /** Flushes that have not been confirmed. */
  #flushes = 0;
  #mustFlush = false;
  #isLastSaid = false;
  #isClearing = false;
  #cancelTimer: CancelTimer = () => {};

  /** `rateHz` is the rate of the call. */
  constructor(preset: SpeechPreset, rateHz: number, deps: VendorSocketDeps, observer: SynthesizerObserver) {
    this.format = nearestFormat(RATES_HZ, rateHz);
    this.#samples = new WholeSamples(bytesPerSample(this.format));
    this.#deps = deps;
    this.#link = new UtteranceLink(
      {
        endpoint: endpointOf(DEEPGRAM, urlOf(preset, this.format), preset.key),
        keepAlive: null,
        isReady: () => !this.#isClearing,
        opened: () => this.#opened(),
        say: (piece, isFirst) => this.#say(piece, isFirst),
        abandon: () => this.#abandon(),
        message: (message) => this.#take(message),
        binary: (data) => this.#takeAudio(data),
      },
      deps,
      observer,
    );
  }

  speak(piece: SpokenPiece): void {
    this.#link.speak(piece);
  }

  cancel(utteranceId: string): void {
    this.#link.cancel(utteranceId);
  }

  async close(): Promise<void> {
    this.#cancelTimer();
    await this.#link.close(CLOSE);
  }

  #opened(): void {
    this.#forget();
    this.#flushLimit = new FlushLimit();
    this.#isClearing = false;
  }

  #say({ text, isLast }: SpokenPiece, isFirst: boolean): void {
    if (isFirst) this.#forget();
    // A piece is shorter than the 2,000 characters that Deepgram takes per message.
    if (text.trim() !== '') this.#link.send(JSON.stringify({ type: 'Speak', text: `${text.trim()} ` }));
    this.#isLastSaid = isLast;
    this.#mustFlush = true;
    this.#flush();
  }

  #abandon(): void {
    this.#forget();
    this.#isClearing = true;
    this.#link.send(CLEAR);
    const words = 'Deepgram did not stop speaking';
    this.#cancelTimer = this.#deps.clock.after(CLEARED_MS, () =>
      this.#link.drop({ kind: 'unreachable', words }),
    );
  }

  #take(message: VendorMessage): void {
    switch (textAt(message, 'type') ?? '') {
      case 'Flushed':
        if (!this.#isClearing) this.#flushed();
        break;
      case 'Cleared':
        this.#cancelTimer();
        this.#isClearing = false;
        this.#link.advance();
        break;
      case 'Error':
        this.#link.drop(faultOfMessage(DEEPGRAM, message));
        break;
      default:
    }
  }

  #takeAudio(data: Uint8Array): void {
    if (!this.#isClearing && this.#link.isSpeaking) this.#link.audio(this.#samples.take(data));
  }

  /** Without a Flush, Deepgram waits for more text. */
  #flush(): void {
    const { clock } = this.#deps;
    this.#cancelTimer();
    const waitMs = this.#flushLimit.waitMs(clock.monotonicMs());
    if (waitMs > 0) {
      this.#cancelTimer = clock.after(waitMs, () => this.#flush());
      return;
    }
    this.#mustFlush = false;
    this.#flushes += 1;
    this.#flushLimit.add(clock.monotonicMs());
    this.#link.send(FLUSH);
  }

  #flushed(): void {
    this.#flushes = Math.max(0, this.#flushes - 1);
    if (!this.#isLastSaid || this.#mustFlush || this.#flushes > 0) return;
    this.#forget();
    this.#link.end();
  }

  /** Forgets the current utterance. */
  #forget(): void {
    this.#cancelTimer();
    this.#samples = new WholeSamples(bytesPerSample(this.format));
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
