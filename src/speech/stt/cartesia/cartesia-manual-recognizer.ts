import type { CancelTimer, Clock } from '../../../base/time.ts';
import { type AudioFormat, nearestFormat } from '../../audio-format.ts';
import type { SpeechPreset } from '../../speech-preset.ts';
import { isTrueAt, numberAt, objectsAt, textAt, type VendorMessage } from '../../vendor-message.ts';
import type { VendorSocketDeps } from '../../vendor-socket.ts';
import { socketUrl } from '../../vendor-url.ts';
import { CARTESIA, faultOfError } from '../../vendors/cartesia/cartesia-manners.ts';
import { endpointOf } from '../../vendors/vendor-manners.ts';
import { AudioUplink } from '../audio-uplink.ts';
import { resultOf } from '../recognized-words.ts';
import type { Recognizer, RecognizerObserver } from '../recognizer.ts';
import { encodingOf, RATES_HZ } from './cartesia-results.ts';

/** Cartesia closes a connection after 3 minutes. */
const KEEP_ALIVE_MS = 60_000;
/** Text that was settled by silence, not by our request, is reported when none follows. */
const QUIET_MS = 1_000;
/** How long something may have been spoken before there is text of it. */
const START_DELAY_MS = 1_000;
/** An utterance that is longer is reported without waiting for silence. */
const MAX_CHARACTERS = 4_000;
/** Bare words, not JSON. */
const FINALIZE = 'finalize';
const CLOSE = 'close';

/** What has been settled of an utterance. Its texts may end within a word, so they are joined as they are. */
interface Settled {
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly language: string | null;
}

/**
 * Speech-to-text by Cartesia's ink-whisper, which settles text when it is told to, or after silence.
 *
 * Source: https://docs.cartesia.ai/api-reference/stt/websocket
 */
export class CartesiaManualRecognizer implements Recognizer {
  readonly format: AudioFormat;
  readonly chunkMs = 100;
  readonly #clock: Clock;
  readonly #observer: RecognizerObserver;
  readonly #uplink: AudioUplink;
  #settled: Settled | null = null;
  /** End of the settled audio, in the vendor's time. */
  #vendorMs = 0;
  /** What is not settled yet, and where it begins. */
  #rest: { readonly text: string; readonly fromMs: number } | null = null;
  #cancelQuiet: CancelTimer = () => {};

  /** `rateHz` is the rate of the voice. */
  constructor(preset: SpeechPreset, rateHz: number, deps: VendorSocketDeps, observer: RecognizerObserver) {
    this.format = nearestFormat(RATES_HZ, rateHz);
    this.#clock = deps.clock;
    this.#observer = observer;
    const { format } = this;
    const endpoint = endpointOf(CARTESIA, urlOf(preset, format), preset.key);
    this.#uplink = new AudioUplink(
      { endpoint, format, isPaced: true, keepAlive: { afterMs: KEEP_ALIVE_MS } },
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
    await this.#uplink.close(CLOSE);
    this.#settleRest();
    this.#report();
  }

  /** Text that was not settled is heard again, unless its beginning is no longer there: then the text must do. */
  #begin(): void {
    const { backlog } = this.#uplink;
    if (this.#rest && this.#rest.fromMs < backlog.oldestMs) {
      this.#settleRest();
      backlog.settle(backlog.sentMs);
      this.#report();
    }
    this.#rest = null;
    this.#vendorMs = 0;
    this.#uplink.begin();
  }

  #take(message: VendorMessage): void {
    switch (textAt(message, 'type') ?? '') {
      case 'transcript':
        this.#takeTranscript(message);
        break;
      case 'flush_done':
        this.#report();
        break;
      case 'done':
        this.#uplink.finish();
        break;
      case 'error':
        this.#uplink.drop(faultOfError(message));
        break;
      default:
    }
  }

  #takeTranscript(message: VendorMessage): void {
    const text = textAt(message, 'text') ?? '';
    if (isTrueAt(message, 'is_final')) {
      this.#rest = null;
      this.#settle(message, text);
    } else if (text !== '') {
      const { sentMs, oldestMs } = this.#uplink.backlog;
      this.#rest = { text, fromMs: this.#rest?.fromMs ?? Math.max(oldestMs, sentMs - START_DELAY_MS) };
      this.#cancelQuiet();
      const whole = `${this.#settled?.text ?? ''}${text}`.trim();
      this.#observer.interim(resultOf(whole, { language: textAt(message, 'language') }));
    }
  }

  #settle(message: VendorMessage, text: string): void {
    const { backlog } = this.#uplink;
    const words = objectsAt(message, 'words');
    const startS = words[0] ? numberAt(words[0], 'start') : null;
    const endS = numberAt(words.at(-1) ?? {}, 'end');
    const startMs = startS === null ? this.#vendorMs : 1_000 * startS;
    this.#vendorMs =
      endS === null ? this.#vendorMs + 1_000 * (numberAt(message, 'duration') ?? 0) : 1_000 * endS;
    const endMs = backlog.heardMs(this.#vendorMs);
    backlog.settle(endMs);
    if (text === '') return;
    this.#settled = {
      text: `${this.#settled?.text ?? ''}${text}`,
      startMs: this.#settled?.startMs ?? Math.round(backlog.heardMs(startMs)),
      endMs: Math.round(endMs),
      language: this.#settled?.language ?? textAt(message, 'language'),
    };
    if (this.#settled.text.length > MAX_CHARACTERS) return this.#report();
    this.#cancelQuiet();
    this.#cancelQuiet = this.#clock.after(QUIET_MS, () => this.#report());
  }

  #report(): void {
    this.#cancelQuiet();
    const settled = this.#settled;
    this.#settled = null;
    const text = settled?.text.trim() ?? '';
    if (settled && text !== '') this.#observer.final(resultOf(text, { ...settled, text }));
  }

  #lose(isOver: boolean): void {
    if (isOver) this.#settleRest();
    this.#report();
  }

  #settleRest(): void {
    const rest = this.#rest;
    this.#rest = null;
    if (rest === null) return;
    const { text = '', startMs = Math.round(rest.fromMs), language = null } = this.#settled ?? {};
    const endMs = Math.round(this.#uplink.backlog.sentMs);
    this.#settled = { text: text + rest.text, startMs, endMs, language };
  }
}

function urlOf({ url, options }: SpeechPreset, format: AudioFormat): string {
  return socketUrl(url, '/stt/websocket', {
    model: textAt(options, 'model') ?? 'ink-whisper',
    language: textAt(options, 'language') ?? 'en',
    encoding: encodingOf(format),
    sample_rate: format.sampleRateHz,
    min_volume: numberAt(options, 'min_volume'),
    max_silence_duration_secs: numberAt(options, 'max_silence_duration_secs'),
  });
}
