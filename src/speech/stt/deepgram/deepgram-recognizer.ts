import { type AudioFormat, nearestFormat } from '../../audio-format.ts';
import type { SpeechPreset } from '../../speech-preset.ts';
import { isTrueAt, numberAt, textAt, textsAt, type VendorMessage } from '../../vendor-message.ts';
import type { VendorSocketDeps } from '../../vendor-socket.ts';
import { socketUrl } from '../../vendor-url.ts';
import { DEEPGRAM } from '../../vendors/deepgram/deepgram-manners.ts';
import { endpointOf, faultOfMessage } from '../../vendors/vendor-manners.ts';
import { AudioUplink } from '../audio-uplink.ts';
import type { Recognized, Recognizer, RecognizerObserver } from '../recognizer.ts';
import { type DeepgramResult, DeepgramUtterance, readResult } from './deepgram-utterance.ts';

const RATES_HZ = [16_000, 24_000, 48_000] as const;
const KEEP_ALIVE_MS = 4_000;
/** These have to be text messages: Deepgram takes a binary one for audio. */
const KEEP_ALIVE = '{"type":"KeepAlive"}';
const FINALIZE = '{"type":"Finalize"}';
const CLOSE_STREAM = '{"type":"CloseStream"}';

/**
 * Speech-to-text by Deepgram's nova models. A settled result (`is_final`) extends the utterance, and the end of speech
 * (`speech_final`, `UtteranceEnd`) reports it.
 *
 * Source: https://developers.deepgram.com/reference/speech-to-text/listen-streaming
 */
export class DeepgramRecognizer implements Recognizer {
  readonly format: AudioFormat;
  readonly chunkMs = 40;
  readonly #observer: RecognizerObserver;
  readonly #uplink: AudioUplink;
  readonly #utterance = new DeepgramUtterance();
  /** What is said after the utterance's settled results, and the end of the audio that it covers. */
  #latest: { readonly result: DeepgramResult; readonly endMs: number } | null = null;

  /** `rateHz` is the rate of the voice. */
  constructor(preset: SpeechPreset, rateHz: number, deps: VendorSocketDeps, observer: RecognizerObserver) {
    this.format = nearestFormat(RATES_HZ, rateHz);
    this.#observer = observer;
    this.#uplink = new AudioUplink(
      {
        endpoint: endpointOf(DEEPGRAM, urlOf(preset, this.format), preset.key),
        format: this.format,
        isPaced: false,
        keepAlive: { afterMs: KEEP_ALIVE_MS, message: KEEP_ALIVE },
      },
      deps,
      {
        opened: () => this.#begin(),
        message: (message) => this.#take(message),
        lost: (isOver) => this.#lose(isOver),
      },
      observer,
    );
  }

  hear(chunk: Uint8Array): void {
    this.#uplink.hear(chunk);
  }

  flush(): void {
    this.#uplink.flush(() => FINALIZE);
  }

  async close(): Promise<void> {
    await this.#uplink.close(CLOSE_STREAM);
    this.#reportAll();
  }

  #take(message: VendorMessage): void {
    switch (textAt(message, 'type') ?? '') {
      case 'Results':
        this.#takeResult(message);
        break;
      case 'UtteranceEnd':
        // Often comes after `speech_final`, when there is nothing left to report.
        this.#report(this.#utterance.take());
        break;
      case 'Error':
        this.#uplink.drop(faultOfMessage(DEEPGRAM, message));
        break;
      default:
    }
  }

  #takeResult(message: VendorMessage): void {
    const { backlog } = this.#uplink;
    const result = readResult(message, (vendorMs) => backlog.heardMs(vendorMs));
    const endMs = backlog.heardMs(
      1_000 * ((numberAt(message, 'start') ?? 0) + (numberAt(message, 'duration') ?? 0)),
    );
    if (isTrueAt(message, 'is_final')) {
      backlog.settle(endMs);
      this.#utterance.add(result);
      this.#latest = null;
    } else {
      this.#latest = { result, endMs };
    }
    const isEnd = isTrueAt(message, 'speech_final') || isTrueAt(message, 'from_finalize');
    if (isEnd || this.#utterance.isFull) return this.#report(this.#utterance.take());
    const interim = result.text === '' ? null : this.#utterance.with(this.#latest?.result ?? null);
    if (interim !== null) this.#observer.interim(interim);
  }

  /** What is settled is reported now, because no end of speech follows. */
  #lose(isOver: boolean): void {
    if (isOver) this.#reportAll();
    else this.#report(this.#utterance.take());
  }

  /** What was not settled is heard again, unless its beginning is no longer there: then what is known of it must do. */
  #begin(): void {
    const { backlog } = this.#uplink;
    if (this.#latest !== null && this.#latest.result.startMs < backlog.oldestMs) {
      backlog.settle(this.#latest.endMs);
      this.#reportAll();
    }
    this.#latest = null;
    this.#uplink.begin();
  }

  #reportAll(): void {
    if (this.#latest !== null) this.#utterance.add(this.#latest.result);
    this.#latest = null;
    this.#report(this.#utterance.take());
  }

  #report(said: Recognized | null): void {
    if (said !== null) this.#observer.final(said);
  }
}

function urlOf({ url, options }: SpeechPreset, { encoding, sampleRateHz }: AudioFormat): string {
  const model = textAt(options, 'model') ?? 'nova-3';
  const keyterms = textsAt(options, 'keyterms');
  return socketUrl(url, '/v1/listen', {
    model,
    language: textAt(options, 'language'),
    encoding: encoding === 'mulaw' ? 'mulaw' : 'linear16',
    sample_rate: sampleRateHz,
    channels: 1,
    interim_results: true,
    endpointing: numberAt(options, 'endpointing') ?? 300,
    utterance_end_ms: numberAt(options, 'utterance_end_ms') ?? 1_000,
    smart_format: options.smart_format !== false,
    punctuate: options.punctuate !== false,
    numerals: isTrueAt(options, 'numerals'),
    profanity_filter: isTrueAt(options, 'profanity_filter'),
    mip_opt_out: isTrueAt(options, 'mip_opt_out'),
    // Streaming takes no later one.
    diarize_model: isTrueAt(options, 'diarize') ? 'v1' : null,
    redact: textsAt(options, 'redact'),
    [model.startsWith('nova-3') ? 'keyterm' : 'keywords']: keyterms,
  });
}
